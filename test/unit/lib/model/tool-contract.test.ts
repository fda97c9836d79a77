import { expect, test } from "bun:test";
import { phases, phaseTable } from "../../../../lib/model/phase.ts";
import { formatToolInput, ToolInput } from "../../../../lib/model/tool-contract.ts";

const id = "3f2b8c1e-7a64-4d0f-9a53-2f1f6f0c9d11";
const artefact = {
  id,
  logical_id: id,
  version: 2,
  structural_type: "Standard",
  type: "GoalDefined",
  payload: "line\nline",
  source_artefacts: [id],
  produced_by_role: "user",
  produced_by_agent: "",
  created_at: "2026-01-01T00:00:00.000Z",
  goal_id: id,
  claim_id: "",
  metadata: { summary: "s" },
};

test("a tool's input is one line of JSON with numbers, arrays and objects as such", () => {
  const input = {
    claim_type: phaseTable.parallel.bid,
    claim_id: id,
    target_artefact: artefact,
    context_chain: [artefact],
    additional_context: [],
  };
  const text = formatToolInput(ToolInput.parse(input));
  expect(text.indexOf("\n")).toBe(text.length - 1);
  expect(JSON.parse(text)).toEqual({ ...input, claim_type: "claim" });
});

test("the claim type is the bid word of the phase", () => {
  expect(phases.map((phase) => [phase, phaseTable[phase].bid])).toEqual([
    ["review", "review"],
    ["parallel", "claim"],
    ["exclusive", "exclusive"],
  ]);
});
