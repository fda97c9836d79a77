import { beforeAll, expect, test } from "bun:test";
import process from "node:process";
import { nearest, readSources, testsOf } from "../../../.ci/tests-of.ts";
import { nightly } from "../../support/nightly.ts";
import { root } from "../../support/root.ts";

let sources: Awaited<ReturnType<typeof readSources>>;
beforeAll(async () => {
  sources = await readSources();
});

nightly("every source is run by a test", () => {
  const without = [...sources.keys()].filter(
    (file) => /^(?:apps|lib)\//.test(file) && nearest(file, sources).length === 0,
  );
  // A file of types alone is no more than checked.
  expect(without.filter((file) => !file.endsWith(".d.ts"))).toEqual([]);
});

test("a source's own test comes first", () => {
  expect(testsOf("lib/core/notice.ts", sources)[0]).toEqual({
    file: "test/unit/lib/core/notice.test.ts",
    line: expect.any(Number),
    reason: "its own test",
  });
});

test("a Lua function leads to the tests of the port's method, and a command to the tests called after it", () => {
  const [first] = testsOf("lib/blackboard/redis/lua/renew-lease.lua", sources);
  expect(first).toMatchObject({
    file: "test/integration/blackboard/suite/grants.ts",
    reason: "uses renewLease",
  });
  expect(sources.get(first?.file ?? "")?.text.split("\n")[(first?.line ?? 0) - 1]).toContain(
    "renewLease",
  );
  expect(testsOf("apps/cli/commands/hoard.ts", sources)[0]?.file).toBe(
    "test/integration/cli/hoard-and-unearth.test.ts",
  );
});

test("a namesake in another room is not taken for the source's test", () => {
  expect(testsOf("apps/cli/commands/retry.ts", sources)[0]?.file).toBe(
    "test/integration/cli/retry.test.ts",
  );
  expect(testsOf("apps/cli/commands/approve.ts", sources)[0]?.file).toBe(
    "test/integration/cli/verdicts.test.ts",
  );
  expect(testsOf("lib/runtime/docker/lock.ts", sources)[0]?.file).toBe(
    "test/integration/runtime/lock.test.ts",
  );
});

test("a source without a test of its own leads to those of the sources that use it", () => {
  const [first] = testsOf("lib/git/run/change-owner.ts", sources);
  expect(first?.reason).toBe("by way of lib/git/repository/host-repository.ts");
});

test.each([
  [[], 1, "Name a source"],
  [["lib/no-such.ts"], 1, "Name a source"],
  [["main.ts"], 1, "apps/cub/main.ts"],
  [["notice.ts"], 0, "test/unit/lib/core/notice.test.ts:"],
] as const)("for the words %p it ends with %d", (words, code, text) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [process.execPath, ".ci/tests-of.ts", ...words],
    { cwd: root },
  );
  expect({ exitCode, text: `${stdout}${stderr}` }).toEqual({
    exitCode: code,
    text: expect.stringContaining(text),
  });
});
