// `--since` takes times and ages, each of which means a position in the log.
import { describe, expect, test } from "bun:test";
import { positionSince } from "../../../../../lib/client/facts/since.ts";
import { errorOf } from "../../../../support/error-of.ts";

const nowMs = Date.parse("2026-01-31T12:00:00Z");
const read = (text: string | undefined) => positionSince(text, { time: async () => nowMs });
/** After everything before this moment. */
const from = (time: string) => `${Date.parse(time) - 1}-18446744073709551615`;

test("without a text the log is read from its beginning", async () => {
  expect(await read(undefined)).toBe("0");
});

test("an event's id is the position after which to read", async () => {
  expect(await read("1795230000000-3")).toBe("1795230000000-3");
});

test.each([
  ["10m", from("2026-01-31T11:50:00Z")],
  ["10m ago", from("2026-01-31T11:50:00Z")],
  ["30d", from("2026-01-01T12:00:00Z")],
  ["2026-01-30T14:00:00Z", from("2026-01-30T14:00:00Z")],
])("%s begins at that moment, by the blackboard's clock", async (text, position) => {
  expect(await read(text)).toBe(position);
});

test("a duration longer than the clock counts is the beginning of the log", async () => {
  expect(await read("999999d")).toBe("0");
});

describe("is refused, with examples", () => {
  test.each(["yesterday", "0d", "10", "2026-13-45", ""])("%j", async (text) => {
    expect(await errorOf(() => read(text))).toMatchObject({
      code: "usage",
      hint: expect.stringContaining("--since 10m"),
    });
  });
});
