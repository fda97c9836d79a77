import { expect, test } from "bun:test";
import { unseenLines } from "../../../../../lib/client/remote/unseen-lines.ts";

async function* from(...lines: string[]) {
  yield* lines;
}

const read = (lines: AsyncIterable<string>, seen: string[], past = 100) =>
  Array.fromAsync(unseenLines(lines, { seen, past }, 20));

test("what comes after the last known lines is new", async () => {
  expect(await read(from("a", "b", "c", "d", "e"), ["b", "c"])).toEqual(["d", "e"]);
  expect(await read(from("a", "b"), ["a", "b"])).toEqual([]);
});

test("a line that comes often does not show the place, those before it do", async () => {
  expect(await read(from("x", "tick", "tick", "y", "tick", "z"), ["y", "tick"])).toEqual(["z"]);
});

test("where none fits, all are new: the log is another one, or much was written", async () => {
  expect(await read(from("d", "e"), ["c"])).toEqual(["d", "e"]);
  expect(await read(from("d", "e", "f", "g"), ["g"], 2)).toEqual(["d", "e", "f", "g"]);
});

test("a log that has no more of the past is followed, also where nothing fits", async () => {
  const more = Promise.withResolvers<void>();
  async function* followed() {
    yield "new log";
    await more.promise;
    yield "and on";
  }
  const lines = unseenLines(followed(), { seen: ["old"], past: 100 }, 20);
  expect((await lines.next()).value).toBe("new log");
  more.resolve();
  expect((await lines.next()).value).toBe("and on");
  expect((await lines.next()).done).toBe(true);
});

test("what breaks while it is read again is passed on", async () => {
  async function* broken() {
    yield "a";
    throw new Error("broken off");
  }
  expect(read(broken(), ["z"])).rejects.toThrow("broken off");
});
