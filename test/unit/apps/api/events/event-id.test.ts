import { expect, test } from "bun:test";
import { compareIds, isEventId } from "../../../../../apps/api/events/event-id.ts";

test("ids are ordered by their time, then by their number, also beyond what a double holds", () => {
  const ids = [
    "0",
    "5-0",
    "5-1",
    "5-9",
    "5-10",
    "10-0",
    "10-9007199254740993",
    "10-18446744073709551615",
    "1795534230646-0",
  ];
  expect(ids.toReversed().toSorted(compareIds)).toEqual(ids);
  expect(compareIds("10-9007199254740992", "10-9007199254740993")).toBe(-1);
  expect(compareIds("5", "5-0")).toBe(0);
});

test("only an id that Redis takes is one", () => {
  for (const id of ["5-99999999999999999999", "5-18446744073709551616", "zzz"])
    expect(isEventId(id)).toBe(false);
  for (const id of ["0", "1795534230646-0", "5-18446744073709551615"])
    expect(isEventId(id)).toBe(true);
  for (const id of ["", "$", "-1", "5-", "5-1-2", "x", "5 -1", "1".repeat(30), "5-1\n"])
    expect(isEventId(id)).toBe(false);
});
