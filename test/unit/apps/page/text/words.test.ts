import { expect, test } from "bun:test";
import { actorName, ago, byteSize, duration, money } from "../../../../../apps/page/text/words.ts";

test("durations and ages are in the units that people use", () => {
  expect([0, 42_000, 723_000, 11_045_000, 183_600_000, -5].map(duration)).toEqual([
    "0:00",
    "0:42",
    "12:03",
    "3:04:05",
    "2 d 3 h",
    "0:00",
  ]);
  const now = Date.parse("2026-11-24T12:00:00Z");
  expect([0, 3, 300, 7_200, 200_000].map((seconds) => ago(new Date(now - 1_000 * seconds).toISOString(), now))).toEqual([
    "just now",
    "3 s ago",
    "5 min ago",
    "2 h ago",
    "2 d ago",
  ]);
});

test("sizes and sums are short", () => {
  expect([312, 4_200, 5_000_000].map(byteSize)).toEqual(["312 B", "4.2 kB", "5.0 MB"]);
  expect(money({ usd: 0.42, tokens: 10, calls: 1 })).toBe("$0.42");
  expect(money({ usd: 0.0012, tokens: 10, calls: 1 })).toBe("$0.0012");
  expect(money({ usd: 0, tokens: 12_300, calls: 2, unpriced_calls: 2 })).toBe("12.3K tokens");
});

test("an actor is named as people know it", () => {
  const actors = ["agent:coder@3f2a", "orchestrator:3", "person:Ada Lovelace <ada@example.org>", "hand", "gateway"];
  expect(actors.map(actorName)).toEqual(["coder", "orchestrator", "Ada Lovelace", "by hand", "gateway"]);
});
