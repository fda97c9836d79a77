import { expect, test } from "bun:test";
import {
  costText,
  goalCostText,
  shortCost,
  withCost,
} from "../../../../../lib/client/render/cost-text.ts";
import { noCost } from "../../../../../lib/core/call-costs.ts";
import { agentName } from "../../../../support/records/sample.ts";

const cost = { nanousd: 420_000_000, tokens: 12_345, calls: 3, unpriced_calls: 0 };

test("a cost whose prices are known is money, tokens and calls", () => {
  expect([costText(cost), shortCost(cost)]).toEqual(["$0.42, 12.3k tokens, 3 calls", "$0.42"]);
});

test("a cost says where a price is not known", () => {
  const some = { ...cost, unpriced_calls: 1 };
  expect([costText(some), shortCost(some)]).toEqual([
    "$0.42, 12.3k tokens, 3 calls, 1 of them at a price that is not known",
    "$0.42 + ?",
  ]);
  const all = { ...cost, nanousd: 0, unpriced_calls: 3 };
  expect([costText(all), shortCost(all)]).toEqual([
    "12.3k tokens, 3 calls, price not known",
    "12.3k tokens",
  ]);
});

test("where there were no calls there is nothing to show", () => {
  expect([shortCost(undefined), shortCost(noCost), costText(noCost)]).toEqual(["", "", ""]);
  expect(withCost({ id: "x" }, undefined)).toEqual({ id: "x" });
  expect(withCost<object>({ id: "x" }, cost)).toEqual({
    id: "x",
    cost: { usd: 0.42, tokens: 12_345, calls: 3, unpriced_calls: 0, estimated_usd: 0 },
  });
});

test("the cost of a goal names its agents, and the calls under way", () => {
  const [coder, reviewer] = [agentName("coder"), agentName("reviewer")];
  const one = { total: cost, agents: new Map([[coder, cost]]), under_way: 0 };
  expect(goalCostText(one)).toBe("$0.42, 12.3k tokens, 3 calls (coder)");
  const two = new Map([
    [coder, cost],
    [reviewer, { ...cost, nanousd: 110_000_000 }],
  ]);
  expect(goalCostText({ ...one, agents: two, under_way: 1 })).toBe(
    "$0.42, 12.3k tokens, 3 calls (coder $0.42, reviewer $0.11), 1 call under way",
  );
  expect(goalCostText({ total: noCost, agents: new Map(), under_way: 2 })).toBe(
    "2 calls under way",
  );
});
