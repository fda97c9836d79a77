import { expect, test } from "bun:test";
import { linesOfAll } from "../../../../../lib/runtime/kubernetes/logs.ts";
import type { LogLine } from "../../../../../lib/runtime/port.ts";

async function* pod(...times: number[]): AsyncGenerator<LogLine> {
  for (const at of times) {
    const time = `2026-01-01T00:00:0${at}Z`;
    yield { stream: "stdout", line: String(at), time };
  }
}

test.each([
  ["of one pod", () => [pod(1, 3)], {}, "13"],
  ["of two, in the order of their times", () => [pod(1, 4), pod(2, 3)], {}, "1234"],
  ["of two, the last of all", () => [pod(1, 4), pod(2, 3)], { tail: 2 }, "34"],
  ["of none", () => [], {}, ""],
])("the lines %s", async (_, pods, options, lines) => {
  const read = await Array.fromAsync(linesOfAll(pods(), options));
  expect(read.map(({ line }) => line).join("")).toBe(lines);
});

test("followed lines come from both pods, and end with those of the first", async () => {
  async function* leader() {
    yield* pod(1);
    await Bun.sleep(0);
    yield* pod(3);
  }
  const read = await Array.fromAsync(linesOfAll([leader(), pod(2)], { follow: true }));
  expect(read.map(({ line }) => line).toSorted()).toEqual(["1", "2", "3"]);
});
