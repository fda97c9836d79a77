import { expect, test } from "bun:test";
import { isLater } from "../../../../lib/model/stream-id.ts";

const inOrder = [
  "0",
  "0-1",
  "9-9",
  "9-10",
  "10-0",
  "9007199254740992-1",
  "9007199254740993-0",
  "18446744073709551615-18446744073709551614",
  "18446744073709551615-18446744073709551615",
];

test("of any two ids of a stream the later one is known, also where numbers are not exact", () => {
  for (const [place, id] of inOrder.entries())
    for (const [otherPlace, other] of inOrder.entries())
      expect(isLater(id, other)).toBe(place > otherPlace);
});

test("an id that a person has typed may be short, or begin with zeros", () => {
  expect(isLater("7", "7-0")).toBe(false);
  expect(isLater("7-0", "7")).toBe(false);
  expect(isLater("007-1", "7-0")).toBe(true);
  expect(isLater("009", "10")).toBe(false);
});
