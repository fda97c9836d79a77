import { expect, test } from "bun:test";
import { noteSlow } from "../../../../../lib/runtime/kubernetes/note-slow.ts";

test("what is waited for is said once, and not before it lasts", () => {
  const said: string[] = [];
  const later = noteSlow(
    (sentence) => said.push(sentence),
    () => "later",
    60_000,
  );
  later();
  expect(said).toEqual([]);
  let left = "one pod";
  const now = noteSlow(
    (sentence) => said.push(sentence),
    () => `waits for ${left}`,
    0,
  );
  left = "two pods";
  now();
  now();
  expect(said).toEqual(["waits for two pods"]);
  noteSlow(undefined, () => "unheard", 0)();
});
