import { expect, test } from "bun:test";
import { clockFinding, diskFinding, isAtLeast } from "../../../../../apps/cli/doctor/measures.ts";

const gibibyte = 1024 ** 3;

test.each([
  [80, "ok"],
  [5, "ok"],
  [4.9, "warning"],
  [0.5, "warning"],
  [0.4, "problem"],
] as const)("with %p GiB free a file system is: %s", (free, level) => {
  const disk = { path: "/data", freeBytes: free * gibibyte, totalBytes: 100 * gibibyte };
  const finding = diskFinding("redis", disk, "Make room.");
  expect(finding).toMatchObject({ subject: "redis", check: "disk", level });
  expect(finding.found).toEndWith("free of 100.0 GiB at /data");
  if (finding.level !== "ok") expect(finding.remedy).toBe("Make room.");
});

test.each([
  [60, "ok", /at \/data$/],
  [49, "warning", /at \/data, 49 inodes free of 1000$/],
  [9, "problem", /at \/data, 9 inodes free of 1000$/],
] as const)("with room for %p of 1000 files it is: %s", (free, level, found) => {
  const room = { path: "/data", freeBytes: 80 * gibibyte, totalBytes: 100 * gibibyte };
  const finding = diskFinding("redis", { ...room, files: { free, total: 1_000 } }, "Make room.");
  expect(finding).toMatchObject({ check: "disk", level, found: expect.stringMatching(found) });
});

test.each([
  ["between the two times", 10_500, "ok", "agrees with this machine's"],
  ["a little ahead", 12_900, "ok", "agrees with this machine's"],
  ["ahead", 16_000, "warning", "5.0 s ahead of this machine's"],
  ["behind", 3_000, "warning", "7.0 s behind this machine's"],
] as const)("a clock that is %s", (_, atMs, level, found) => {
  expect(clockFinding("engine", { atMs, betweenMs: [10_000, 11_000] })).toMatchObject({
    check: "clock",
    level,
    found,
  });
});

test.each([
  ["20.10.24+dfsg1", [20, 10], true],
  ["1.41", [1, 41], true],
  ["1.9", [1, 41], false],
  ["2.0", [1, 41], true],
  ["v7", [7, 0], true],
  ["6.2.7", [7, 0], false],
  ["", [1, 0], false],
] as const)("%p is at least %p: %p", (version, wanted, expected) => {
  expect(isAtLeast(version, wanted)).toBe(expected);
});
