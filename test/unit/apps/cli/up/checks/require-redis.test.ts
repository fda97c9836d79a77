// Says in sentences what a Redis elsewhere lacks.
import { expect, test } from "bun:test";
import { lacksOf } from "../../../../../../apps/cli/up/checks/require-redis.ts";
import { modeOf, type Surveyed } from "../../../../../../lib/blackboard/redis/survey.ts";

const good: Surveyed = {
  version: "7.0.15",
  mode: "standalone",
  isReplica: false,
  policy: "noeviction",
  isAppendOnly: true,
  functionProblem: undefined,
  userProblem: undefined,
  hasUserFile: true,
  owner: undefined,
};

test("a right is named where it is missing, and not where the server has no such command", () => {
  const lacks = (problem: string) =>
    lacksOf({ ...good, functionProblem: problem, userProblem: problem });
  for (const sentence of lacks("NOPERM this user has no permissions"))
    expect(sentence).toMatch(/its user needs `\+(?:acl|function)`/);
  for (const sentence of lacks("ERR unknown command")) expect(sentence).not.toContain("needs");
  expect(lacks("ERR unknown command")).toHaveLength(2);
});

test.each([
  [{ redis_mode: "cluster" }, "cluster"],
  [{ server_mode: "standalone", redis_version: "7.2.4" }, "standalone"],
  [{ server_mode: "sentinel" }, "sentinel"],
  [{ cluster_enabled: "1" }, "cluster"],
  [{}, "standalone"],
])("a server that says %p of itself is a %s", (fields: Record<string, string>, mode) => {
  expect(modeOf((name) => fields[name] ?? "")).toBe(mode);
});
