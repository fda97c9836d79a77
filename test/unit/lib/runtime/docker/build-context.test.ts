import { expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { contextEntries } from "../../../../../lib/runtime/docker/build-context.ts";
import { canRunUnprivileged, runAsContainerUser } from "../../../../support/git/unprivileged.ts";

async function context(files: Record<string, string>): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "sett-context-"));
  for (const [name, text] of Object.entries({ Dockerfile: "FROM a\n", ...files })) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Paths; those that no step sees in brackets. */
async function listOf(path: string, dockerfile = "Dockerfile"): Promise<string[]> {
  return (await contextEntries(path, dockerfile)).map((entry) =>
    entry.isHidden ? `(${entry.path})` : entry.path,
  );
}

test("folders come before what is in them, empty ones and links too", async () => {
  await using folder = await context({ "b/c": "", "b-c": "" });
  await mkdir(join(folder.path, "empty"));
  await symlink("/nowhere", join(folder.path, "link"));
  expect(await listOf(folder.path)).toEqual(["Dockerfile", "b", "b-c", "b/c", "empty", "link"]);
});

test("the Dockerfile and .dockerignore are there where ** ignores them, and no step sees them", async () => {
  await using folder = await context({
    "run.sh": "",
    "sub/run.sh": "",
    ".dockerignore": "**\n!run.sh\n",
  });
  expect(await listOf(folder.path)).toEqual(["(.dockerignore)", "(Dockerfile)", "run.sh"]);
});

test("an ignored folder comes with what an exception keeps in it", async () => {
  await using folder = await context({
    "a/b/keep": "",
    "a/b/drop": "",
    "c/drop": "",
    ".dockerignore": "*\n!a/b/keep\n",
  });
  expect(await listOf(folder.path)).toEqual([
    "(.dockerignore)",
    "(Dockerfile)",
    "a",
    "a/b",
    "a/b/keep",
  ]);
});

test("a Dockerfile's own file of patterns counts instead of .dockerignore", async () => {
  await using folder = await context({
    "sub/D": "FROM a\n",
    "sub/D.dockerignore": "a\nsub\n",
    ".dockerignore": "b\n",
    a: "",
    b: "",
  });
  expect(await listOf(folder.path, "sub/D")).toEqual([
    ".dockerignore",
    "Dockerfile",
    "b",
    "(sub/D)",
  ]);
  expect(await listOf(folder.path)).toEqual([
    ".dockerignore",
    "Dockerfile",
    "a",
    "sub",
    "sub/D",
    "sub/D.dockerignore",
  ]);
});

test("a pattern that Docker refuses is named by its file and line", async () => {
  await using folder = await context({ ".dockerignore": "a\n[b\n" });
  await expect(contextEntries(folder.path, "Dockerfile")).rejects.toMatchObject({
    code: "build-failed",
    message: `The file ${folder.path}/.dockerignore cannot be used: line 2 is no pattern: [b.`,
  });
});

test("a name that is no UTF-8 is said to be one, unless it is ignored", async () => {
  await using folder = await context({ a: "" });
  expect(
    Bun.spawnSync(["sh", "-c", "touch \"$(printf 'caf\\351')\""], { cwd: folder.path }).exitCode,
  ).toBe(0);
  await expect(contextEntries(folder.path, "Dockerfile")).rejects.toMatchObject({
    code: "build-failed",
    message: `The build context has a name that is no UTF-8: ${folder.path}/caf\uFFFD.`,
  });
  await writeFile(join(folder.path, ".dockerignore"), "caf?\n");
  expect(await listOf(folder.path)).toEqual([".dockerignore", "Dockerfile", "a"]);
});

// Root may open every folder.
test.skipIf(process.getuid?.() === 0 && !canRunUnprivileged())(
  "a folder that is ignored is not opened",
  async () => {
    await using folder = await context({
      "theirs/file": "",
      "run.sh": "",
      ".dockerignore": "theirs\n",
    });
    await chmod(folder.path, 0o755);
    await chmod(join(folder.path, "theirs"), 0);
    const list = async (): Promise<string> => {
      if (process.getuid?.() !== 0) return JSON.stringify(await listOf(folder.path));
      const source = join(import.meta.dir, "../../../../../lib/runtime/docker/build-context.ts");
      const script = `import { contextEntries } from ${JSON.stringify(source)};
      const entries = await contextEntries(${JSON.stringify(folder.path)}, "Dockerfile").catch((error) => [{ path: error.message }]);
      console.log(JSON.stringify(entries.map(({ path }) => path)));`;
      return runAsContainerUser(process.execPath, ["--eval", script]);
    };
    expect(JSON.parse(await list())).toEqual([".dockerignore", "Dockerfile", "run.sh"]);
    await writeFile(join(folder.path, ".dockerignore"), "theirs\n!theirs/file\n");
    expect(await list()).toContain(`The build context cannot be read at ${folder.path}/theirs.`);
  },
);
