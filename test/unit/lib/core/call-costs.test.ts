import { expect, test } from "bun:test";
import {
  type CostedCall,
  callsByArtefact,
  costOf,
  costsBy,
  noCost,
} from "../../../../lib/core/call-costs.ts";
import { agentName, newArtefactId, newClaimId } from "../../../support/records/sample.ts";

const claim = newClaimId();

const call = (second: number, over: Partial<CostedCall> = {}): CostedCall => ({
  claim_id: claim,
  agent: agentName("coder"),
  model: "strong",
  started_at: at(second),
  cost: { nanousd: 100, tokens: 10, calls: 1 },
  is_unpriced: false,
  ...over,
});

function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
}

const made = (second: number, agent = "coder", by = claim as string) => ({
  id: newArtefactId(),
  claim_id: by,
  produced_by_agent: agent,
  created_at: at(second),
});

test("a sum also counts the calls whose price is not known", () => {
  const unpriced = call(1, { is_unpriced: true, cost: { nanousd: 0, tokens: 7, calls: 1 } });
  expect(costOf([call(0), unpriced])).toEqual({
    nanousd: 100,
    tokens: 17,
    calls: 2,
    unpriced_calls: 1,
  });
  expect(costOf([])).toEqual(noCost);
});

test("costs are by whatever a call has, in alphabetical order", () => {
  const costs = costsBy(
    [call(0), call(1, { agent: agentName("auditor") }), call(2)],
    ({ agent }) => agent,
  );
  expect([...costs].map(([agent, { calls }]) => [String(agent), calls])).toEqual([
    ["auditor", 1],
    ["coder", 2],
  ]);
});

test("each result has the calls of its agent since the result before it, and the bid belongs to the first", () => {
  const [question, result, foreign] = [made(10), made(20), made(30, "reviewer")];
  const calls = [call(1), call(9), call(11), call(10)];
  const found = callsByArtefact([result, foreign, question], calls);
  expect(found.get(question.id)).toEqual([call(1), call(9), call(10)]);
  expect(found.get(result.id)).toEqual([call(11)]);
  expect(found.has(foreign.id)).toBe(false);
});

test("calls of another claim, or after the last result, belong to no artefact", () => {
  const result = made(10);
  const goal = made(0, "", "");
  expect(
    callsByArtefact([goal, result], [call(11), call(1, { claim_id: newClaimId() })]).size,
  ).toBe(0);
});
