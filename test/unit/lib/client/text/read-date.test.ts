import { expect, test } from "bun:test";
import { readDate } from "../../../../../lib/client/text/read-date.ts";

test.each([
  ["2026-11-21", "2026-11-21T00:00:00.000Z"],
  [" 2026-11-21T14:00:00Z ", "2026-11-21T14:00:00.000Z"],
  ["2026-11-21T14:00:00+02:00", "2026-11-21T12:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
])("%p is %s", (text, time) => {
  expect(new Date(readDate(text) ?? Number.NaN).toISOString()).toBe(time);
});

test.each([
  "2026-02-31",
  "2026-02-29T10:00:00Z",
  "2026-13-01",
  "2026-11-21T25:00:00Z",
  "2026-11-21 or 22",
  "2026-11-211",
  "soon",
])("%p is no date", (text) => {
  expect(readDate(text)).toBeUndefined();
});
