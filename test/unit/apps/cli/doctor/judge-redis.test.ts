import { expect, test } from "bun:test";
import type { RedisFacts } from "../../../../../apps/cli/doctor/facts.ts";
import { judgeRedis } from "../../../../../apps/cli/doctor/judge-redis.ts";

type Answer = Extract<RedisFacts, { state: "answers" }>;

const sound: Answer = {
  state: "answers",
  version: "7.0.15",
  isAppendOnly: true,
  primary: undefined,
  fsync: "everysec",
  failed: [],
  usedBytes: 79,
  limitBytes: 100,
  policy: "noeviction",
  clock: { atMs: 5, betweenMs: [0, 10] },
  disk: { path: "/data", freeBytes: 1e12, totalBytes: 2e12 },
  owed: { count: 0, oldest: undefined },
};

const levels = (over: Partial<Answer>): Record<string, string> =>
  Object.fromEntries(
    judgeRedis({ ...sound, ...over }, "sett up").map(({ check, level }) => [check, level]),
  );

test("a Redis as `sett up` starts it has no finding", () => {
  expect(new Set(Object.values(levels({})))).toEqual(new Set(["ok"]));
});

const changes: [string, Partial<Answer>, string, string][] = [
  ["one that copies another", { primary: "10.0.0.1:6379" }, "role", "problem"],
  ["an old version", { version: "6.2.7" }, "version", "problem"],
  ["nothing on disk", { isAppendOnly: false }, "persistence", "problem"],
  ["written when the system likes", { fsync: "no" }, "persistence", "warning"],
  ["written at once", { fsync: "always" }, "persistence", "ok"],
  ["settings that are not to be read", { fsync: undefined }, "persistence", "ok"],
  ["a write that failed", { failed: ["write", "rewrite"] }, "writes to disk", "problem"],
  ["nearly full", { usedBytes: 80 }, "memory", "warning"],
  ["no key of another type", { mistyped: [] }, "events", "ok"],
  [
    "a key of another type",
    { mistyped: [{ key: "sett:demo:agents", is: "string", toBe: "hash" }] },
    "keys",
    "problem",
  ],
  ["no limit", { limitBytes: 0 }, "memory", "warning"],
  ["a cache", { policy: "allkeys-lru" }, "memory", "problem"],
  ["a full disk", { disk: { path: "/data", freeBytes: 1, totalBytes: 2 } }, "disk", "problem"],
  [
    "an event that could not be handled",
    {
      owed: {
        count: 2,
        oldest: { id: "1-0", type: "artefact_created", reason: "It is out of order." },
      },
    },
    "events",
    "problem",
  ],
  ["a wrong clock", { clock: { atMs: 90_000, betweenMs: [0, 10] } }, "clock", "warning"],
];

test.each(changes)("%s", (_, over, check, level) => {
  expect(levels(over)).toEqual({ ...levels({}), [check]: level });
});

test("failed writes are named", () => {
  const findings = changes.flatMap(([, over]) => judgeRedis({ ...sound, ...over }, "sett up"));
  expect(findings.map(({ found }) => found)).toContain(
    "the last write and the last rewrite failed",
  );
});

test("a Redis that does not answer is one problem, with its own remedy", () => {
  expect(
    judgeRedis({ state: "silent", message: "It does not run.", hint: "Start it." }, "sett up"),
  ).toMatchObject([
    { subject: "redis", level: "problem", found: "It does not run.", remedy: "Start it." },
  ]);
});
