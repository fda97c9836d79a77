import { expect, test } from "bun:test";
import { partsOfContext } from "../../../../../apps/cli/examine/read-order.ts";
import { derived, nextVersion } from "../../../../support/records/lineage.ts";

const at = (second: number) => ({ created_at: `2026-11-28T20:00:0${second}.000Z` });
const goal = derived([], at(0));
const first = derived([goal], at(1));
const review = derived([first], { ...at(2), structural_type: "Review", type: "Review" });
const second = { ...nextVersion(first, [review]), ...at(3) };

test("what is in the chain as well stays there, in the order of the record", () => {
  const parts = partsOfContext(first, [goal, review], [review.id]);
  expect(parts).toEqual({ chain: [goal, review], additional: [review] });
});

test("an older version beside the chain, and one of the target's own, are not in the chain", () => {
  const other = derived([goal], at(4));
  expect(partsOfContext(other, [goal, second, first], [first.id])).toEqual({
    chain: [goal, second],
    additional: [first],
  });
  expect(partsOfContext(second, [goal, review, first], [first.id, review.id])).toEqual({
    chain: [goal, review],
    additional: [first, review],
  });
});

test("what has come beside the claim since then is left out", () => {
  const later = derived([goal], at(5));
  expect(partsOfContext(first, [goal], [later.id]).additional).toEqual([]);
});

test("a chain that the record has as it was found is the oldest first", () => {
  expect(partsOfContext(second, [review, goal], []).chain).toEqual([goal, review]);
});
