// When an image must be built anew.
import { expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { contextHash, devcontainerHash } from "../../../../../apps/cli/up/context-hash.ts";
import { checkDevcontainer } from "../../../../../lib/config/devcontainer.ts";

test("an image's inputs change with a file, a mode, a link, an argument and its base image, and with nothing else", async () => {
  const context = await mkdtemp(join(tmpdir(), "sett-context-"));
  try {
    const dockerfile = join(context, "Dockerfile");
    await writeFile(dockerfile, "FROM base:1 AS first\nFROM --platform=linux/amd64 first\nCOPY --from=tools:2 /a /a\n");
    await writeFile(join(context, "run.sh"), "one", { mode: 0o644 });
    let base = "sha256:1";
    const tags: string[] = [];
    const hash = (args: Record<string, string> = {}) =>
      contextHash({ kind: "build", context, dockerfile, args }, async (tag) => {
        tags.push(tag);
        return base;
      });
    const seen = [await hash()];
    expect(new Set(tags)).toEqual(new Set(["base:1", "tools:2"]));
    expect(await hash()).toBe(seen[0]);
    seen.push(await hash({ A: "1" }));
    base = "sha256:2";
    seen.push(await hash());
    await chmod(join(context, "run.sh"), 0o755);
    seen.push(await hash());
    await writeFile(join(context, "run.sh"), "two");
    seen.push(await hash());
    await symlink("run.sh", join(context, "link"));
    seen.push(await hash());
    expect(seen).not.toContain(undefined);
    expect(new Set(seen).size).toBe(seen.length);
    await writeFile(dockerfile, "ARG BASE\nFROM $BASE\n");
    expect(await hash()).toBeUndefined();
  } finally {
    await rm(context, { recursive: true });
  }
});

test("what .dockerignore excludes changes nothing, and what it no longer excludes does", async () => {
  const context = await mkdtemp(join(tmpdir(), "sett-context-"));
  try {
    const dockerfile = join(context, "Dockerfile");
    const hash = () => contextHash({ kind: "build", context, dockerfile, args: {} }, async () => "sha256:1");
    await writeFile(dockerfile, "FROM base:1\nCOPY . /\n");
    await writeFile(join(context, ".dockerignore"), "ignored\n");
    const before = await hash();
    await writeFile(join(context, "ignored"), "");
    expect(await hash()).toBe(before);
    await writeFile(join(context, ".dockerignore"), "ignore\n");
    expect(await hash()).not.toBe(before);
  } finally {
    await rm(context, { recursive: true });
  }
});

test("of a devcontainer its file, what is beside it, and its build context count, and nothing else of its folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-context-"));
  try {
    const write = async (name: string, text: string) => {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    };
    await write(".devcontainer/Dockerfile", "FROM base:1\nCOPY src /src\n");
    await write(".devcontainer/devcontainer.json", '{ "build": { "dockerfile": "Dockerfile", "context": ".." } }');
    await write(".dockerignore", "ignored\n");
    const hash = async () => {
      const { devcontainer } = await checkDevcontainer(folder);
      if (devcontainer === undefined) throw new Error("it has mistakes");
      return await devcontainerHash(devcontainer, { folder, owner: { uid: 1, gid: 1 }, host: {} }, async () => "sha256:1");
    };
    const seen = [await hash()];
    await write("ignored/file", "");
    expect(await hash()).toBe(seen[0]);
    await write("src/file", "");
    seen.push(await hash());
    await write(".devcontainer/feature/install.sh", "");
    seen.push(await hash());
    await write(".devcontainer/devcontainer.json", '{ "image": "base:1" }');
    seen.push(await hash());
    await write("src/file", "other");
    expect(await hash()).toBe(seen.at(-1));
    expect(seen).not.toContain(undefined);
    expect(new Set(seen).size).toBe(seen.length);
  } finally {
    await rm(folder, { recursive: true });
  }
});
