import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sourceFiles } from "../../../.ci/build.ts";
import { hashOf, isUpToDate, remember } from "../../../.ci/build-record.ts";

async function workspace() {
  const root = await mkdtemp(join(tmpdir(), "sett-record-"));
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

test("the hash changes with a file's content, with its name and with a setting", async () => {
  await using space = await workspace();
  await Bun.write(join(space.root, "a.ts"), "one");
  await Bun.write(join(space.root, "b.ts"), "one");
  const hash = await hashOf(space.root, ["a.ts"], ["--minify"]);
  expect(await hashOf(space.root, ["a.ts"], ["--minify"])).toBe(hash);
  expect(await hashOf(space.root, ["b.ts"], ["--minify"])).not.toBe(hash);
  expect(await hashOf(space.root, ["a.ts"], [])).not.toBe(hash);

  await Bun.write(join(space.root, "a.ts"), "two");
  expect(await hashOf(space.root, ["a.ts"], ["--minify"])).not.toBe(hash);
});

test("a binary is up to date only while it exists and its sources are those that it was made from", async () => {
  await using space = await workspace();
  expect(await isUpToDate(space.root, "bin/sett", "h1")).toBe(false);
  await remember(space.root, "bin/sett", "h1");
  expect(await isUpToDate(space.root, "bin/sett", "h1")).toBe(false);
  await Bun.write(join(space.root, "bin/sett"), "program");
  expect(await isUpToDate(space.root, "bin/sett", "h1")).toBe(true);
  expect(await isUpToDate(space.root, "bin/sett", "h2")).toBe(false);
});

test.each([
  ["sett", "apps/cli/commands/up.ts"],
  ["orchestrator", "apps/orchestrator/leadership.ts"],
  ["gateway", "apps/gateway/gateway.ts"],
  ["cub", "apps/cub/work/run-grant.ts"],
] as const)(
  "what %s is made from includes its own folder, the libraries with their scripts, and the agents",
  async (program, own) => {
    const files = await sourceFiles(program);
    expect(files).toContain(own);
    expect(files).toContain("lib/blackboard/redis/lua/commit-claim.lua");
    expect(files).toContain("agents/example-agent/run.sh");
  },
);
