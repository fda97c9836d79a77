// When an image must be built anew.
import { expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  contextInputs,
  devcontainerInputs,
} from "../../../../../../apps/cli/up/images/context-hash.ts";
import { checkDevcontainer } from "../../../../../../lib/config/devcontainer.ts";

const inputsOf = (context: string) =>
  contextInputs(
    { kind: "build", context, dockerfile: join(context, "Dockerfile"), args: {} },
    async () => "sha256:1",
  );

test("an image's inputs change with a file, a mode, a link, an argument and its base image, and with nothing else", async () => {
  const context = await mkdtemp(join(tmpdir(), "sett-context-"));
  try {
    const dockerfile = join(context, "Dockerfile");
    await writeFile(
      dockerfile,
      "FROM base:1 AS first\nFROM --platform=linux/amd64 first\nCOPY --from=tools:2 /a /a\n",
    );
    await writeFile(join(context, "run.sh"), "one", { mode: 0o644 });
    let base = "sha256:1";
    const tags: string[] = [];
    const hash = async (args: Record<string, string> = {}) => {
      const inputs = await contextInputs(
        { kind: "build", context, dockerfile, args },
        async (tag) => {
          tags.push(tag);
          return base;
        },
      );
      return await inputs?.byContent();
    };
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
    const hash = async () => await (await inputsOf(context))?.byContent();
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

test("a Dockerfile that is a link counts by its text, wherever it is", async () => {
  const context = await mkdtemp(join(tmpdir(), "sett-context-"));
  const elsewhere = await mkdtemp(join(tmpdir(), "sett-elsewhere-"));
  try {
    const hash = async () => await (await inputsOf(context))?.byContent();
    await writeFile(join(elsewhere, "D"), "FROM base:1\n");
    await symlink(join(elsewhere, "D"), join(context, "Dockerfile"));
    const before = await hash();
    await writeFile(join(elsewhere, "D"), "FROM base:1\nUSER 7\n");
    expect(await hash()).not.toBe(before);
  } finally {
    await rm(context, { recursive: true });
    await rm(elsewhere, { recursive: true });
  }
});

test("an image that a variable names is known where the file or the arguments say it", async () => {
  const context = await mkdtemp(join(tmpdir(), "sett-context-"));
  try {
    await writeFile(join(context, "Dockerfile"), "ARG BASE=base:1\nFROM $BASE\n");
    const tags: string[] = [];
    for (const args of [{}, { BASE: "other:2" }] as Record<string, string>[]) {
      const source = {
        kind: "build",
        context,
        dockerfile: join(context, "Dockerfile"),
        args,
      } as const;
      const inputs = await contextInputs(source, async (tag) => {
        tags.push(tag);
        return "sha256:1";
      });
      expect(inputs).toBeDefined();
    }
    expect(tags).toEqual(["base:1", "other:2"]);
  } finally {
    await rm(context, { recursive: true });
  }
});

test("a large file counts to its last byte", async () => {
  const context = await mkdtemp(join(tmpdir(), "sett-context-"));
  try {
    const hash = async () => await (await inputsOf(context))?.byContent();
    await writeFile(join(context, "Dockerfile"), "FROM base:1\n");
    const bytes = new Uint8Array(17 * 1024 * 1024);
    await writeFile(join(context, "weights"), bytes);
    const before = await hash();
    expect(await hash()).toBe(before);
    bytes[bytes.length - 1] = 1;
    await writeFile(join(context, "weights"), bytes);
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
    await write(
      ".devcontainer/devcontainer.json",
      '{ "build": { "dockerfile": "Dockerfile", "context": ".." } }',
    );
    await write(".dockerignore", "ignored\n");
    const hash = async () => {
      const { devcontainer } = await checkDevcontainer(folder);
      if (devcontainer === undefined) throw new Error("it has mistakes");
      const surroundings = { folder, owner: { uid: 1, gid: 1 }, host: {} };
      return await (
        await devcontainerInputs(devcontainer, surroundings, async () => "sha256:1")
      )?.byContent();
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

test("by times, nothing is said of a file that has just changed, and no change of one that has settled is missed", async () => {
  const context = await mkdtemp(join(tmpdir(), "sett-context-"));
  const byTimes = async () => (await inputsOf(context))?.byTimes;
  const settled = async () => {
    for (;;) {
      const found = await byTimes();
      if (found !== undefined) return found;
      await Bun.sleep(50);
    }
  };
  try {
    await writeFile(join(context, "Dockerfile"), "FROM base:1\n");
    await writeFile(join(context, ".dockerignore"), "ignored\n");
    const file = join(context, "run.sh");
    await writeFile(file, "one");
    expect(await byTimes()).toBeUndefined();
    const before = await settled();
    await writeFile(join(context, "ignored"), "");
    expect(await byTimes()).toBe(before);
    const { atime, mtime } = await stat(file);
    await writeFile(file, "two");
    // A program may set the time of a change back; that it did has a time of its own.
    await utimes(file, atime, mtime);
    expect(await settled()).not.toBe(before);
  } finally {
    await rm(context, { recursive: true });
  }
}, 120_000);
