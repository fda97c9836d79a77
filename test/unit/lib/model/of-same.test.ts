import { expect, test } from "bun:test";
import { ofSame } from "../../../../lib/model/of-same.ts";

test("what is made of a thing is made once, also where it is nothing", () => {
  let made = 0;
  const lengthOf = ofSame((list: readonly string[]) => {
    made += 1;
    return list.length === 0 ? undefined : list.length;
  });
  const [some, none] = [["a", "b"], []];
  expect([lengthOf(some), lengthOf(none), lengthOf(some), lengthOf(none)]).toEqual([
    2,
    undefined,
    2,
    undefined,
  ]);
  expect(made).toBe(2);
  expect(lengthOf(["a", "b"])).toBe(2);
  expect(made).toBe(3);
});
