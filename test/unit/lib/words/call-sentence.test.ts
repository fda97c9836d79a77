import { expect, test } from "bun:test";
import { eventLine } from "../../../../lib/client/render/event-line.ts";
import { createStyle } from "../../../../lib/client/text/style.ts";
import type { SettEvent } from "../../../../lib/model/event.ts";
import { agentName } from "../../../support/records/sample.ts";

const lineOf = (over: Partial<SettEvent>) => {
  const event = {
    id: "1-0",
    time: "2026-01-01T12:00:00.000Z",
    actor: "gateway",
    type: "model_called",
    ...over,
  } as SettEvent;
  return eventLine({ agent: agentName("coder"), ...event }, createStyle(false)).slice(20);
};
const called = {
  model: "strong",
  outcome: "ok",
  input: 1_100,
  output: 134,
  usd: 0.0123,
  duration_ms: 3_149,
};

test("a call of a model is a line with its tokens, its cost and its duration", () => {
  expect(lineOf({ data: called })).toEndWith(
    "asks strong for coder on claim: 1.2k tokens, $0.01, 3.1 s",
  );
  expect(lineOf({ data: called })).toStartWith("gateway ");
});

test("a model that answers in place of another one is named with it", () => {
  expect(lineOf({ data: { ...called, model: "cheap", instead_of: "strong" } })).toEndWith(
    "asks cheap, in place of strong, for coder on claim: 1.2k tokens, $0.01, 3.1 s",
  );
});

test("a call whose price is not known says so", () => {
  expect(lineOf({ data: { ...called, usd: 0, unpriced: true } })).toEndWith(
    ": 1.2k tokens, price not known, 3.1 s",
  );
});

test("a call that has not ended well says why, and not what it has cost", () => {
  const data = { ...called, outcome: "refused", problem: "The key of model strong is wrong." };
  expect(lineOf({ data })).toEndWith(
    "a call of strong for coder on claim was refused: The key of model strong is wrong.",
  );
  expect(lineOf({ data: { ...called, outcome: "lost" } })).toEndWith("was lost");
});

test("a raised budget names what was added, and whose limits they are", () => {
  const raised = {
    type: "budget_raised",
    actor: "person:Ada Lovelace <ada@sett.invalid>",
  } as const;
  const data = { usd: 5, tokens: 200_000, calls: 1, cause: "x" };
  expect(lineOf({ ...raised, data })).toEndWith(
    "raises the budget of coder by $5.00, 200k tokens, 1 call",
  );
  const { agent: _, ...ofGoal } = { agent: undefined, ...raised, data };
  expect(lineOf({ ...ofGoal, agent: undefined } as Partial<SettEvent>)).toEndWith(
    "raises the budget of the goal by $5.00, 200k tokens, 1 call",
  );
});
