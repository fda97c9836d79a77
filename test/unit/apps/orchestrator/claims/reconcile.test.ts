// The slow look at what was written by hand and never published.
import { expect, test } from "bun:test";
import { AdoptionScan } from "../../../../../apps/orchestrator/claims/adoption.ts";
import { systemClock } from "../../../../../lib/async/clock.ts";
import { createMemoryBlackboard } from "../../../../../lib/blackboard/memory/create.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { newArtefactId, sampleArtefact } from "../../../../support/records/sample.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

test("adopts an artefact that is complete for a while, and says what the others still lack", async () => {
  const memory = createMemoryBlackboard({ instance: InstanceName.parse("scan") });
  await using board = memory.open();
  const leader = await board.acquireLeaderLease({
    holder: "test",
    leaseMs: 60_000,
    restarted: true,
  });
  const epoch = leader.outcome === "held" ? leader.epoch : 0;
  // Each pass has cost nothing, so that the next one need not wait.
  const lines: Record<string, unknown>[] = [];
  const log = createJsonLog(
    (line) => lines.push(JSON.parse(line)),
    () => new Date(),
  );
  const deps = leaderDeps(epoch, { board, log, clock: { ...systemClock, passedMs: () => 0 } });
  const scan = new AdoptionScan();
  const eventsSoFar = async () =>
    (await board.readEvents("0", 100)).flatMap(({ type, artefact_id, data }) =>
      type.startsWith("artefact_") ? [[type, artefact_id, data?.reason]] : [],
    );

  const whole = sampleArtefact();
  const { id, logical_id, structural_type, type, payload, produced_by_role } = whole;
  const common = {
    logical_id,
    version: "1",
    structural_type,
    payload,
    source_artefacts: "[]",
    produced_by_role,
  };
  memory.hand.writeArtefact(id, { id, ...common, type });
  const lacking = newArtefactId();
  memory.hand.writeArtefact(lacking, { id: lacking, ...common, logical_id: lacking as never });
  await scan.runOnce(deps);
  expect(await eventsSoFar()).toEqual([]);
  await scan.runOnce(deps);
  expect(await eventsSoFar()).toEqual([["artefact_created", id, undefined]]);
  for (const _ of ["overdue", "again", "and again"]) await scan.runOnce(deps);
  // What it lacks may still come: it is looked at again, and not logged again.
  expect(lines.filter(({ artefact_id }) => artefact_id === lacking)).toHaveLength(1);
  expect(await eventsSoFar()).toEqual([
    ["artefact_created", id, undefined],
    ["artefact_refused", lacking, "`type` is missing"],
  ]);
});
