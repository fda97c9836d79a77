// Pruning beside an orchestrator and agents at work, and what it never takes.
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readArchive } from "../../../apps/cli/archive/read.ts";
import { chooseGoals } from "../../../apps/cli/prune/choose.ts";
import { moveGoals } from "../../../apps/cli/prune/move.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../support/blackboard/in-memory.ts";
import {
  acquireLeaderLease,
  commitOf,
  openStandard,
  resultOf,
} from "../../support/blackboard/scene.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleArtefact, sampleClaim } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { Clan } from "../../support/world/clan.ts";
import { placeInRedis } from "../../support/world/redis-place.ts";

const instance = InstanceName.parse("test");

test("goals are pruned while a clan is at work, which goes on", async () => {
  await using redis = await startRedisServer();
  const place = placeInRedis(redis);
  await using board = await place.open();
  await using clan = new Clan(place, await place.open());
  await using folder = await temporaryFolder();
  await clan.join({
    coder: {
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: () => ({
        structural_type: "Terminal",
        artefact_type: "Done",
        artefact_payload: "x",
        summary: "Done",
      }),
    },
  });
  await clan.startOrchestrator();
  const goals = [await clan.postGoal(), await clan.postGoal(), await clan.postGoal()];
  const chosen = await waitFor("all to be over", async () => {
    const choice = await chooseGoals(board, Date.now() + 1_000);
    return choice.goals.length === goals.length && choice.goals;
  });
  const stating = clan.postGoal("meanwhile");
  const { goals: moved } = await moveGoals(board, chosen, orderTo(join(folder.path, "old.jsonl")));
  expect(moved.map(({ id }) => String(id))).toEqual(goals.map(({ id }) => String(id)));
  await clan.made(await stating, ({ type }) => type === "Done");
  await clan.made(await clan.postGoal("after"), ({ type }) => type === "Done");
  const artefacts: string[] = [];
  for await (const line of readArchive(join(folder.path, "old.jsonl")))
    if ("artefact" in line) artefacts.push(line.artefact.type);
  expect(artefacts.toSorted()).toEqual([
    "Done",
    "Done",
    "Done",
    "GoalDefined",
    "GoalDefined",
    "GoalDefined",
  ]);
}, 120_000);

nightly(
  "whatever cites what, no goal that stays refers to one that is chosen",
  async () => {
    const shape = fc.array(
      fc.record({ isOpen: fc.boolean(), cites: fc.array(fc.nat(7), { maxLength: 2 }) }),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(shape, async (goals) => {
        await using board = await blackboardInMemory({ instance }).open();
        const epoch = await acquireLeaderLease(board);
        // A goal can cite only those that are there when it is stated.
        const stated: Artefact[] = [];
        for (const { cites } of goals)
          stated.push(
            sampleArtefact({ source_artefacts: cites.flatMap((place) => stated[place]?.id ?? []) }),
          );
        for (const goal of stated) await board.createArtefact(goal, "person:test");
        for (const [index, { isOpen }] of goals.entries()) {
          const goal = stated[index] ?? sampleArtefact();
          const claim = sampleClaim(goal, []);
          await openStandard(board, claim, epoch);
          await board.createArtefact(
            resultOf(goal, claim, { structural_type: "Terminal" }),
            "agent:coder",
          );
          const set = { status: "complete", bidding: "closed" } as const;
          if (!isOpen) await board.commitClaim(commitOf(claim.id, epoch, 0, { set }));
        }
        await board.moveCursor(epoch, await board.endOfEvents());
        const choice = await chooseGoals(board, Date.now() + 1_000);
        const chosen = new Set(choice.goals.map(({ id }) => String(id)));
        for (const [index, { isOpen, cites }] of goals.entries()) {
          if (isOpen) expect(chosen.has(stated[index]?.id ?? "")).toBe(false);
          if (chosen.has(stated[index]?.id ?? "")) continue;
          for (const place of cites.filter((at) => at < index))
            expect(chosen.has(stated[place]?.id ?? "")).toBe(false);
        }
        // And nothing is kept for no reason.
        const isOver = goals.filter(({ isOpen }) => !isOpen).length;
        expect(chosen.size + choice.referred).toBe(isOver);
        await expectMoved(board, choice.goals);
      }),
      { numRuns: 60 },
    );
  },
  120_000,
);

async function expectMoved(
  board: Blackboard,
  chosen: Awaited<ReturnType<typeof chooseGoals>>["goals"],
): Promise<void> {
  if (chosen.length === 0) return;
  await using folder = await temporaryFolder();
  const before = await board.countArtefacts();
  const { artefacts } = await moveGoals(board, chosen, orderTo(join(folder.path, "old.jsonl")));
  expect(await board.countArtefacts()).toBe(before - artefacts);
}

function orderTo(path: string) {
  const now = new Date().toISOString();
  const header = {
    sett_archive: 1 as const,
    instance,
    version: "0.0.0",
    created_at: now,
    before: now,
  };
  return {
    path,
    header,
    actor: "person:Ada",
    file: "old.jsonl",
    signal: new AbortController().signal,
  };
}

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), "sett-prune-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
