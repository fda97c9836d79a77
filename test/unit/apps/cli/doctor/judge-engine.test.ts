import { expect, test } from "bun:test";
import type { EngineFacts } from "../../../../../apps/cli/doctor/facts.ts";
import { judgeEngine } from "../../../../../apps/cli/doctor/judge-engine.ts";

type Answer = Extract<EngineFacts, { state: "answers" }>;

const sound: Answer = {
  state: "answers",
  version: "27.0.1",
  api: "1.46",
  architecture: "amd64",
  security: ["apparmor", "seccomp"],
  limits: { memory: true, pids: true, cpu: true },
  warnings: [],
  lackOfBuildKit: undefined,
  rootDir: "/var/lib/docker",
  time: { atMs: 5, betweenMs: [0, 10] },
  disk: { path: "/var/lib/docker", freeBytes: 1e12, totalBytes: 2e12 },
};

const levels = (over: Partial<Answer>) =>
  Object.fromEntries(
    judgeEngine({ ...sound, ...over }, true).map(({ check, level }) => [check, level]),
  );

test("of a sound Engine only the user namespaces have a note", () => {
  const checks = [
    "version",
    "user namespaces",
    "seccomp",
    "apparmor",
    "limits",
    "buildkit",
    "disk",
    "clock",
  ];
  expect(levels({})).toEqual({
    ...Object.fromEntries(checks.map((check) => [check, "ok"])),
    "user namespaces": "note",
  });
});

test.each([
  ["an old API", { api: "1.40" }, "version", "warning"],
  ["no seccomp", { security: ["apparmor"] }, "seccomp", "warning"],
  ["no AppArmor", { security: ["seccomp"] }, "apparmor", "note"],
  ["no limit of memory", { limits: { memory: false, pids: true, cpu: true } }, "limits", "warning"],
  ["no BuildKit", { lackOfBuildKit: "its `docker` has no buildx" }, "buildkit", "note"],
  ["a full disk", { disk: { path: "/", freeBytes: 1, totalBytes: 2 } }, "disk", "problem"],
  ["a wrong clock", { time: { atMs: 90_000, betweenMs: [0, 10] } }, "clock", "warning"],
] as const)("%s", (_, over, check, level) => {
  const changed = levels(over as unknown as Partial<Answer>);
  expect(changed).toEqual({ ...levels({}), [check]: level });
});

test("missing limits are named, with what the Engine says", () => {
  const limits = { memory: true, pids: false, cpu: false };
  const found = judgeEngine(
    { ...sound, limits, warnings: ["WARNING: No cpu cfs quota support"] },
    true,
  );
  expect(found.find(({ check }) => check === "limits")?.found).toBe(
    "no limits of pids, cpu; WARNING: No cpu cfs quota support",
  );
});

test("a rootless Engine, and one that maps users, are named", () => {
  const found = (name: string) =>
    judgeEngine({ ...sound, security: [name] }, true).find(
      ({ check }) => check === "user namespaces",
    )?.found;
  expect(found("rootless")).toBe("on: the Engine runs without root");
  expect(found("userns")).toBe("on: userns-remap");
});

test("what cannot be seen from here is left out", () => {
  const checks = Object.keys(
    levels({ disk: undefined, time: { atMs: Number.NaN, betweenMs: [0, 1] } }),
  );
  expect(checks).not.toContain("disk");
  expect(checks).not.toContain("clock");
});

test("an Engine that does not answer is a problem with its own remedy, and a note where none is needed", () => {
  const silent = { state: "silent", message: "It does not answer.", hint: "Start it." } as const;
  expect(judgeEngine(silent, true)).toMatchObject([
    { level: "problem", found: "It does not answer.", remedy: "Start it." },
  ]);
  expect(judgeEngine(silent, false)).toMatchObject([{ level: "note" }]);
});
