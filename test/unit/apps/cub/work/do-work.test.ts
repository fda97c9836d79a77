import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { formatToolInput } from "../../../../../lib/model/tool-contract.ts";
import { memoryClan } from "../../../../support/world/memory-clan.ts";

test("the log says what the command was given: the artefacts, and the digest of its stdin", async () => {
  await using clan = await memoryClan();
  await clan.join({
    coder: {
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: () => ({ artefact_type: "Text", artefact_payload: "a", summary: "Written" }),
    },
    packer: {
      bids: [{ on: "Text", bid: "exclusive" }],
      tool: () => ({
        structural_type: "Failure",
        artefact_type: "Torn",
        artefact_payload: "b",
        summary: "It is torn.",
      }),
    },
  });
  await clan.startOrchestrator();
  const goal = await clan.postGoal();
  const failure = await clan.made(goal, ({ type }) => type === "Torn");
  const events = await clan.events();
  const dataOf = (type: string, agent: string) =>
    events.find((one) => one.type === type && one.agent === agent)?.data;
  expect(dataOf("grant_started", "coder")).not.toHaveProperty("inputs");
  expect(dataOf("grant_started", "packer")?.inputs).toBe(goal.id);
  const [input] = clan.inputs.get("packer") ?? [];
  const stdin = input && createHash("sha256").update(formatToolInput(input)).digest("hex");
  const ended = events.find(
    ({ artefact_id, type }) => artefact_id === failure.id && type === "grant_failed",
  );
  expect(ended?.data?.stdin).toBe(stdin);
});
