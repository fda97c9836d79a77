// Few faults explain a failure better than many.
import { expect, test } from "bun:test";
import { shrink } from "./shrink.ts";

const numbers = Array.from({ length: 40 }, (_, index) => index);

test("what is left is what the failure needs, in its order", async () => {
  const needed = [3, 17, 18, 39];
  const fails = (fewer: readonly number[]) => needed.every((one) => fewer.includes(one));
  expect(await shrink(numbers, fails)).toEqual(needed);
});

test("where one of several causes is enough, one is left", async () => {
  const fails = async (fewer: readonly number[]) => fewer.some((one) => one % 7 === 0);
  expect(await shrink(numbers, fails)).toHaveLength(1);
});

test("nothing is left of a list that does not matter", async () => {
  expect(await shrink(numbers, () => true)).toEqual([]);
  expect(await shrink([], () => true)).toEqual([]);
});

test("a failure that needs all of them keeps all, and none is asked about twice in vain", async () => {
  let tries = 0;
  const fails = (fewer: readonly number[]) => {
    tries += 1;
    return fewer.length === 8;
  };
  expect(await shrink(numbers.slice(0, 8), fails)).toEqual(numbers.slice(0, 8));
  expect(tries).toBe(2 + 4 + 8);
});
