// Shows what an instance has lost is said with what git still has of it.
import { expect, test } from "bun:test";
import {
  goneBlackboardSentence,
  lostEventsSentence,
  newBlackboardSentence,
} from "../../../../../apps/cli/render/lost.ts";

const refs = Array.from({ length: 7 }, (_, index) => ({
  id: `${index}f2a9c1b-0000-4000-8000-000000000000`,
  subject: index === 1 ? "" : `Add \u001b[31m${"x".repeat(index === 2 ? 80 : index)}`,
}));

test("it names the newest goals and results, bounded and without controls, and how many more there are", () => {
  const sentence = newBlackboardSentence("demo", refs);
  expect(sentence).toStartWith(
    "The blackboard of demo is new, and empty: the one before is gone. Git still has 7 goals and results of it, in refs/sett/demo: 0f2a9c1b (Add",
  );
  expect(sentence).toContain(", 1f2a9c1b, 2f2a9c1b (Add");
  expect(sentence).toEndWith(", and 2 more.");
  expect(sentence).not.toContain("\u001b");
  expect(sentence.length).toBeLessThan(400);
});

test("it says since when, and that git has nothing", () => {
  expect(newBlackboardSentence("demo", [], "2h ago")).toBe(
    "The blackboard of demo began empty 2h ago: the one before is gone. Git knows no goal or result of it.",
  );
});

test("before another one begins it says that `sett up` would begin it", () => {
  expect(goneBlackboardSentence("demo", refs.slice(0, 1))).toBe(
    "The blackboard of demo is gone, and `sett up` would begin an empty one. Git still has 1 goal or result of it, in refs/sett/demo: 0f2a9c1b (Add).",
  );
});

test("a record that has lost events says how many it had, and where its results still are", () => {
  const sentence = lostEventsSentence("demo", { before: 214, now: 31 });
  expect(sentence).toContain("its log had 214 events when");
  expect(sentence).toContain("refs/sett/demo");
});
