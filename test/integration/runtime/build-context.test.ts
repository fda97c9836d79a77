// Shows what is sent to the Engine for a build, compared with what the docker command line sends.
import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { contextInputs } from "../../../apps/cli/up/images/context-hash.ts";
import { type ContextEntry, contextEntries } from "../../../lib/runtime/docker/build-context.ts";
import { contextArchive } from "../../../lib/runtime/docker/context-archive.ts";
import { contextRecorder, filesIn } from "../../support/docker/sent-context.ts";
import { isNight } from "../../support/nightly.ts";

const names = ["a", "b", "ab", "a.b", "run.sh", "[x]", "é", "#n"];
const path = fc
  .array(fc.constantFrom(...names, "a", "b"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));
const plain = fc.constantFrom(
  ...names.filter((name) => name !== "[x]"),
  "\\[x\\]",
  "a",
  "b",
  ".",
  "..",
);
const part = fc.oneof(
  plain,
  fc.constantFrom("*", "?", "a*", "*b", "[ab]", "[^a]", "[a-c]", "a?b", "*.sh", "**"),
);

const patternOf = (one: fc.Arbitrary<string>, marks: string[]) =>
  fc
    .tuple(
      fc.constantFrom(...marks),
      fc.array(one, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "", " ", "/", "\r"),
    )
    .map(([mark, parts, end]) => `${mark}${parts.join("/")}${end}`);
// The builder without BuildKit does not look for an exception with a wildcard in an ignored folder;
// BuildKit does.
const rejecting = patternOf(part, ["", "", "/", "./", "#", " "]);
const accepting = patternOf(plain, ["!", "! ", "!/"]);
const anyPattern = patternOf(part, ["", "", "/", "!", "!", "! "]);

type Case = { lines: string[]; files: string[] };
const cases = (pattern: fc.Arbitrary<string>): fc.Arbitrary<Case> =>
  fc.record({
    lines: fc.array(pattern, { minLength: 1, maxLength: 5 }),
    files: fc.array(path, { minLength: 6, maxLength: 14 }),
  });

async function folderOf(
  { lines, files }: Case,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sett-context-"));
  try {
    for (const file of files) {
      // A name may be a file's and a folder's: the first counts.
      const isMade = await mkdir(dirname(join(folder, file)), { recursive: true }).then(
        () => true,
        () => false,
      );
      if (isMade) await writeFile(join(folder, file), "", { flag: "a" }).catch(() => {});
    }
    await writeFile(join(folder, "Dockerfile"), "FROM scratch\nCOPY . /\n");
    await writeFile(join(folder, ".dockerignore"), lines.join("\n"));
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Undefined where a pattern is refused. */
async function entriesOf(folder: string): Promise<ContextEntry[] | undefined> {
  return await contextEntries(folder, "Dockerfile").catch((error) => {
    expect(error).toMatchObject({ code: "build-failed" });
    return undefined;
  });
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<ArrayBuffer> {
  return await new Blob(
    await Array.fromAsync(stream as AsyncIterable<Uint8Array<ArrayBuffer>>),
  ).arrayBuffer();
}

/**
 * The same contexts in each run. The older builder and BuildKit differ where a pattern comes again
 * after an exception (`*`, `!a/b`, `*`), which a seed of another day may find: BuildKit's answer
 * counts.
 */
const seed = Number(process.env.SETT_CONTEXT_SEED ?? 1);

test("the files of a context are those that docker build sends", async () => {
  await using recorder = await contextRecorder();
  const property = fc.asyncProperty(cases(fc.oneof(rejecting, accepting)), (one) =>
    folderOf(one, async (folder) => {
      const entries = await entriesOf(folder);
      const archive = entries && (await bytesOf(contextArchive(folder, entries)));
      expect(archive && (await filesIn(archive))).toEqual(await recorder.sentBy(folder));
    }),
  );
  await fc.assert(property, {
    seed,
    numRuns: isNight ? 60 : 10,
    examples: [[{ lines: ["**", "!run.sh"], files: ["run.sh", "a/run.sh"] }]],
  });
}, 600_000);

test("a file that goes while it is listed, hashed or packed is left out", async () => {
  await folderOf({ lines: [], files: ["lock", "sub/lock", "run.sh"] }, async (folder) => {
    const build = {
      kind: "build",
      context: folder,
      dockerfile: join(folder, "Dockerfile"),
      args: {},
    } as const;
    const entries = await contextEntries(folder, "Dockerfile");
    const before = await contextInputs(build, async () => "sha256:a");
    await rm(join(folder, "lock"));
    await rm(join(folder, "sub"), { recursive: true });
    expect(await filesIn(await bytesOf(contextArchive(folder, entries)))).toEqual([
      ".dockerignore",
      "Dockerfile",
      "run.sh",
    ]);
    const after = await contextInputs(build, async () => "sha256:a");
    const digest = await before?.byContent();
    expect(digest).toBeString();
    expect(digest).not.toBe(await after?.byContent());
  });
});

const hasBuildx = Bun.spawnSync(["docker", "buildx", "version"]).exitCode === 0;

test.skipIf(!hasBuildx)(
  "the files that a step sees are those that it sees with BuildKit",
  async () => {
    const property = fc.asyncProperty(cases(anyPattern), (one) =>
      folderOf(one, async (folder) => {
        const seen = (await entriesOf(folder))?.flatMap(({ path, stats, isHidden }) =>
          isHidden || stats.isDirectory() ? [] : [path],
        );
        const command = [
          "docker",
          "build",
          "--quiet",
          "--no-cache",
          "--output",
          "type=tar,dest=-",
          ".",
        ];
        const env = { ...process.env, DOCKER_BUILDKIT: "1" };
        const build = Bun.spawn(command, { cwd: folder, env, stdout: "pipe", stderr: "ignore" });
        const archive = await new Response(build.stdout).arrayBuffer();
        expect(seen?.sort()).toEqual(
          (await build.exited) === 0 ? await filesIn(archive) : undefined,
        );
      }),
    );
    await fc.assert(property, { numRuns: 40 });
  },
  240_000,
);
