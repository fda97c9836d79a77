// Bids in the data of an event.
import { expect, test } from "bun:test";
import { textOfBids } from "../../../../lib/model/bid.ts";
import { bidsInText, bidsOf } from "../../../../lib/model/recorded-bids.ts";
import { agentName } from "../../../support/records/sample.ts";

const bids = [
  { agent: agentName("coder"), word: "exclusive" as const },
  { agent: agentName("tester-2"), word: "ignore" as const },
];

test("bids are read as they were written, in their order", () => {
  const text = textOfBids(bids);
  expect(text).toBe("coder:exclusive tester-2:ignore");
  expect(bidsInText(text)).toEqual(bids);
  expect(bidsOf({ type: "bids_placed", data: { bids: text, missing: 0 } })).toEqual(bids);
});

test("what is no bid in a text is left out", () => {
  expect(bidsInText("coder:exclusive coder: :ignore Coder!:ignore coder:shout   ")).toEqual(
    bids.slice(0, 1),
  );
  expect(bidsInText("")).toEqual([]);
});

test("an event of one bid has that one, and others have none", () => {
  const [bid] = bids;
  expect(
    bidsOf({ type: "bid_placed", agent: agentName("coder"), data: { word: "exclusive" } }),
  ).toEqual([bid] as never);
  expect(
    bidsOf({ type: "bid_imposed", agent: agentName("coder"), data: { word: "shout" } }),
  ).toEqual([]);
  expect(bidsOf({ type: "bidding_closed" })).toEqual([]);
  expect(bidsOf({ type: "bids_placed" })).toEqual([]);
});
