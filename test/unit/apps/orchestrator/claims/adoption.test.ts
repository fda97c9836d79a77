// The scan for artefacts that were written by hand and not published.
import { expect, test } from "bun:test";
import { AdoptionScan } from "../../../../../apps/orchestrator/claims/adoption.ts";
import type { ArtefactId } from "../../../../../lib/model/ids.ts";
import { openMemoryBench } from "../../../../support/blackboard/memory-bench.ts";
import { acquireLeaderLease, byHand, events } from "../../../../support/blackboard/scene.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

const restMs = 15_000;

test("an artefact is adopted one rest after it was found, and what it lacks in the third scan is refused", async () => {
  await using bench = await openMemoryBench();
  const deps = leaderDeps(await acquireLeaderLease(bench.board), { board: bench.board });
  const [whole, unfinished] = [sampleArtefact(), sampleArtefact()];
  await bench.hand.writeArtefact(whole.id, byHand(whole));
  await bench.hand.writeArtefact(unfinished.id, { id: unfinished.id, type: "Note" });
  const scan = new AdoptionScan();
  expect(await scan.runOnce(deps)).toBe(restMs);
  expect(await bench.board.readGoal(whole.goal_id)).toMatchObject({ artefacts: 0 });
  expect(await scan.runOnce(deps)).toBe(restMs);
  expect(await bench.board.readGoal(whole.goal_id)).toMatchObject({ artefacts: 1 });
  expect(await events(bench.board, "artefact_refused")).toEqual([]);
  await scan.runOnce(deps);
  expect(await events(bench.board, "artefact_refused")).toMatchObject([
    { artefact_id: unfinished.id },
  ]);
});

test("while keys are left it goes on every second, and what it has found waits for a whole rest", async () => {
  await using bench = await openMemoryBench();
  const artefact = sampleArtefact();
  await bench.hand.writeArtefact(artefact.id, byHand(artefact));
  const parts: (ArtefactId[] | undefined)[] = [undefined, undefined, [artefact.id], undefined];
  const board = { ...bench.board, findUnindexedArtefacts: async () => parts.shift() };
  const deps = leaderDeps(await acquireLeaderLease(bench.board), { board });
  const scan = new AdoptionScan();
  const rests = [await scan.runOnce(deps), await scan.runOnce(deps), await scan.runOnce(deps)];
  expect(rests).toEqual([1_000, 1_000, restMs]);
  expect(await events(bench.board, "artefact_created")).toEqual([]);
  expect(await scan.runOnce(deps)).toBe(1_000);
  expect(await events(bench.board, "artefact_created")).toMatchObject([
    { actor: "hand", artefact_id: artefact.id },
  ]);
});
