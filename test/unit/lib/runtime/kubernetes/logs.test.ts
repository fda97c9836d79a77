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
  const hasRead = Promise.withResolvers<void>();
  async function* leader() {
    yield* pod(1);
    await hasRead.promise;
    yield* pod(3);
  }
  async function* other() {
    yield* pod(2);
    hasRead.resolve();
  }
  const read = await Array.fromAsync(linesOfAll([leader(), other()], { follow: true }));
  expect(read.map(({ line }) => line).toSorted()).toEqual(["1", "2", "3"]);
});
