// The server of another Debian as a program of this machine: with the libraries that it was made
// for, and without a container.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { $ } from "bun";

/**
 * `release`: of Debian, such as `trixie`. `server`: a package and its program. Needs mmdebstrap,
 * the registry of Debian's packages, and a quarter of a minute. Returns the path of the program.
 */
export async function debianServer(
  folder: string,
  { release, server }: { release: string; server: string },
): Promise<string> {
  const root = join(folder, release);
  await mkdir(folder, { recursive: true });
  await $`mmdebstrap --quiet --variant=extract --include=${`libc6,${server}`} ${release} ${root}`.quiet();
  const found = (await $`find ${root} -name libc.so.6`.text()).trim();
  const libraries = dirname(found);
  const [loader] = (await $`find ${libraries} -name ${"ld-linux-*.so.*"}`.text()).split("\n");
  const program = join(folder, server);
  const paths = [libraries, join(root, "usr/lib", basename(libraries))].join(":");
  const line = `exec ${loader} --library-path ${paths} ${join(root, "usr/bin", server)} "$@"`;
  await writeFile(program, `#!/bin/sh\n${line}\n`);
  await chmod(program, 0o755);
  return program;
}
