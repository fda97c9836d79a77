import { expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../support/root.ts";

const script = join(root, ".ci/record-packages.sh");

/** As dpkg-query answers on Debian: one owner, a diversion, and a name that nothing owns. */
const dpkgQuery = `#!/bin/sh
case "$1 $2" in
"--search *bin/sh") printf 'diversion by dash from: /bin/sh\\ndash: /bin/sh\\n' ;;
"--search *bin/libc.so.6") echo 'libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6' ;;
"--status "*) printf 'Package: %s\\nVersion: 1\\n' "$2" ;;
*) exit 1 ;;
esac
`;

async function record(...packages: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "sett-record-"));
  try {
    const root = join(folder, "root");
    for (const file of ["bin/sh", "lib/libc.so.6", "data/notes"])
      await Bun.write(join(root, file), file);
    const bin = join(folder, "bin");
    await mkdir(bin);
    await Bun.write(join(bin, "dpkg-query"), dpkgQuery);
    await chmod(join(bin, "dpkg-query"), 0o755);
    await Bun.$`sh ${script} ${root} ${packages}`
      .env({ PATH: `${bin}:${process.env.PATH}` })
      .quiet();
    const status = join(root, "var/lib/dpkg/status.d");
    const names = (await readdir(status)).sort();
    return {
      names,
      texts: await Promise.all(names.map((name) => readFile(join(status, name), "utf8"))),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("an image names the packages that own its files", async () => {
  expect((await record()).names).toEqual(["dash", "libc6"]);
});

test("an image names the packages that it is given, each as dpkg's status file would", async () => {
  const { names, texts } = await record("git");
  expect({ names, texts }).toEqual({ names: ["git"], texts: ["Package: git\nVersion: 1\n\n"] });
});
