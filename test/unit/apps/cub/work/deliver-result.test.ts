// A result that the record does not take.
import { expect, test } from "bun:test";
import { OwnRegistration } from "../../../../../apps/cub/program/own-registration.ts";
import { deliverResult } from "../../../../../apps/cub/work/deliver-result.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { landedType } from "../../../../../lib/model/lane.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { done, resultOf, runGrant } from "../../../../support/blackboard/scene.ts";
import { sampleAgent } from "../../../../support/records/sample.ts";
import { cubDeps } from "../../../../support/world/deps.ts";

test("a landing whose lane has moved meanwhile is no Failure: the orchestrator has it made again", async () => {
  const memory = blackboardInMemory({ instance: InstanceName.parse("lanes") });
  await using board = await memory.open();
  const { claim, goal } = await runGrant(board);
  const commit = "b".repeat(40);
  const landed = resultOf(goal, claim, {
    ...{ structural_type: "Terminal", type: landedType, payload: commit },
    metadata: { lane: "main", onto: "a".repeat(40), commit } as never,
  });
  const { grant, result } = done(claim.id, landed);
  const deps = cubDeps({
    board: { ...board, beginWork: () => Promise.reject(new Error("Nothing begins.")) },
    registration: new OwnRegistration(sampleAgent("coder", { lane: "main" })),
    runTool: () => Promise.reject(new Error("It is not run.")),
  });
  const never = new AbortController().signal;
  const signals = { stop: never, kill: never };
  expect(await deliverResult(deps, { claim, grant }, result, signals)).toBe(false);
  const stored = await board.readClaim(claim.id);
  expect(stored?.grants.map(({ state }) => state)).toEqual(["running"]);
});
