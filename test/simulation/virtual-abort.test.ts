// The signals of the simulation do what the platform's do, and a schedule leaves none of them
// behind.
import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { nightly } from "../support/nightly.ts";
import { playMany } from "./play-many.ts";
import { virtualAbort } from "./virtual-abort.ts";

type Globals = { AbortController: typeof AbortController; AbortSignal: typeof AbortSignal };

const both: [string, Globals][] = [
  ["the platform's signals", { AbortController, AbortSignal }],
  ["the simulation's signals", virtualAbort as unknown as Globals],
];

describe.each(both)("%s", (_name, { AbortController: Controller, AbortSignal: Signal }) => {
  test("end with their sources, which call their listeners first", () => {
    const [source, other] = [new Controller(), new Controller()];
    const either = Signal.any([source.signal, other.signal]);
    const further = Signal.any([either, other.signal]);
    const calls: unknown[] = [];
    const [removed, added] = [() => calls.push("removed"), () => calls.push("added")];
    further.addEventListener("abort", () => calls.push("further"));
    either.addEventListener("abort", ({ type }) => calls.push(type), { once: true });
    source.signal.addEventListener("abort", () => calls.push([either.aborted, further.aborted]));
    source.signal.addEventListener("abort", () =>
      source.signal.removeEventListener("abort", removed),
    );
    source.signal.addEventListener("abort", () => source.signal.addEventListener("abort", added));
    source.signal.addEventListener("abort", removed);
    source.abort("over");
    other.abort("later");
    source.abort("again");
    expect(calls).toEqual([[true, true], "abort", "further"]);
    expect([source.signal, either, further, other.signal].map(({ reason }) => reason)).toEqual([
      "over",
      "over",
      "over",
      "later",
    ]);
  });

  test("have ended from the first where a source has", () => {
    const source = new Controller();
    source.abort();
    const either = Signal.any([new Controller().signal, source.signal]);
    expect(either.aborted).toBe(true);
    expect(either.reason).toBe(source.signal.reason);
    expect(either.reason).toMatchObject({
      name: "AbortError",
      message: "The operation was aborted.",
    });
  });
});

nightly(
  "schedules do not stay in memory",
  async () => {
    const objectsAfter = async (first: number, count: number) => {
      await playMany(Array.from({ length: count }, (_, index) => first + index));
      Bun.gc(true);
      return heapStats().objectCount;
    };
    const before = await objectsAfter(1, 10);
    // One schedule makes some ten thousand signals, of which a frame on the stack may still know.
    expect((await objectsAfter(11, 20)) - before).toBeLessThan(50_000);
  },
  600_000,
);
