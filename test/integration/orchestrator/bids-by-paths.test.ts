// Bids that depend on the files that a change touches: what is asked, on which ground, and whether
// the log alone shows that it was right.
import { expect, test } from "bun:test";
import { replayLog } from "../../../apps/cli/audit/replay.ts";
import { byMail } from "../../../lib/blackboard/mail/by-mail.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { BidRule } from "../../../lib/model/bid.ts";
import type { RunningGrant } from "../../../lib/model/claim.ts";
import { AgentName } from "../../../lib/model/ids.ts";
import { grantLeaseMs } from "../../../lib/model/leases.ts";
import { bidsOf } from "../../../lib/model/recorded-bids.ts";
import { newArtefactId, sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Member } from "../../support/world/clan.ts";
import { Clan } from "../../support/world/clan.ts";
import { placeInMemory } from "../../support/world/place.ts";

const commit = "c".repeat(40);
const person = (bids: BidRule[]): Member => ({ human: true, bids });
const reviews = (on: string, ...paths: string[]): BidRule[] => [{ on, bid: "review", paths }];
const bidOnGoal: Member["bids"] = [{ on: "GoalDefined", bid: "exclusive" }];

/** What the record has of a commit, and of what was made from it. */
function maker(metadata: Artefact["metadata"]): Member {
  return {
    bids: [...(bidOnGoal ?? []), { on: "CodeCommit", from: "coder", bid: "claim" }],
    bids_by_command: undefined,
    behaviour: {
      bid: () => undefined,
      work: ({ type }) =>
        type === "GoalDefined"
          ? { type: "CodeCommit", payload: commit, metadata }
          : { type: "Note" },
    },
  } as Member;
}

async function clanOf(members: Record<string, Member>) {
  const place = placeInMemory();
  const clan = new Clan(place, await place.open(), { contactMs: 0 });
  await clan.join(members);
  await clan.startOrchestrator();
  /** Agent → the word on record, of those that do not ignore it. */
  const bidsOn = async (made: Artefact) => {
    const { claim } = await clan.claimOn(made);
    const bids = claim.bids.filter(({ word }) => word !== "ignore");
    return Object.fromEntries(bids.map(({ agent, word }) => [String(agent), word]));
  };
  return { clan, bidsOn, place, [Symbol.asyncDispose]: () => clan[Symbol.asyncDispose]() };
}

const isCommit = ({ type }: Artefact) => type === "CodeCommit";

test("who bids by paths bids on a change that touches them, and the log shows that it was right", async () => {
  await using scene = await clanOf({
    coder: maker({ commit, changed_paths: ["infra/main.tf", "src/a.ts"] } as never),
    owner: person(reviews("CodeCommit", "infra/**")),
    writer: person(reviews("CodeCommit", "docs/**", "*.md")),
    lint: { bids: reviews("CodeCommit", "*.ts"), script: "echo '{}'" },
  });
  const { clan, bidsOn } = scene;
  const made = await clan.made(await clan.postGoal(), isCommit);
  expect(await bidsOn(made)).toEqual({ owner: "review", lint: "review", coder: "claim" });
  const opened = (await clan.board.readEvents("0", 1_000)).find(
    ({ type, artefact_id }) => type === "claim_opened" && artefact_id === made.id,
  );
  const digest = String(opened?.data?.paths);
  // It is a fact of the goal, and goes with it.
  expect((await clan.board.readFacts([digest as never])).size).toBe(0);
  const facts = await clan.board.readFacts([digest as never], made.goal_id);
  expect(JSON.parse(facts.get(digest as never) ?? "")).toEqual(["infra/main.tf", "src/a.ts"]);
  expect(await replayLog(clan.board)).toMatchObject({ differences: [], unknown: [] });
  const lost = { ...clan.board, readFacts: async () => [] as never };
  expect((await replayLog(lost as never)).differences.length).toBeGreaterThan(0);
});

test("a change that is not on record touches every path, and so it is replayed", async () => {
  for (const metadata of [{ commit }, {}, { commit, changed_paths: "none" }]) {
    await using scene = await clanOf({
      coder: maker(metadata as never),
      owner: person(reviews("CodeCommit", "infra/**")),
    });
    const made = await scene.clan.made(await scene.clan.postGoal(), isCommit);
    expect(await scene.bidsOn(made)).toMatchObject({ owner: "review" });
    expect(await replayLog(scene.clan.board)).toMatchObject({ differences: [] });
  }
});

test("what has no commit of its own touches what it was made from, and a goal touches nothing", async () => {
  await using scene = await clanOf({
    coder: maker({ commit, changed_paths: ["infra/main.tf"] } as never),
    owner: person([...reviews("Note", "infra/**"), ...reviews("GoalDefined", "**")]),
    writer: person(reviews("Note", "docs/**")),
  });
  const { clan, bidsOn } = scene;
  const goal = await clan.postGoal();
  const note = await clan.made(goal, ({ type }) => type === "Note");
  expect(await bidsOn(note)).toEqual({ owner: "review" });
  expect(await bidsOn(goal)).toEqual({ coder: "exclusive" });
  expect(await replayLog(clan.board)).toMatchObject({ differences: [] });
});

test("an agent that takes part by hand cannot say which files its commit touches", async () => {
  const hand = AgentName.parse("hand");
  await using scene = await clanOf({
    hand: { external: true, bids: bidOnGoal ?? [] },
    owner: person(reviews("CodeCommit", "infra/**")),
  });
  const { clan, place, bidsOn } = scene;
  const goal = await clan.postGoal();
  const board = byMail(await place.open(), { agent: hand });
  const { claim, grants } = await waitFor("the grant", async () => {
    const snapshot = await clan.claimOn(goal);
    return snapshot.grants.length > 0 && snapshot;
  });
  const [grant] = grants;
  const running = { ...grant, started_at: new Date().toISOString(), context_ids: [] };
  const begun = { ...running, state: "running" } as RunningGrant;
  await board.acceptGrant({ claim: claim.id, grant: begun, leaseMs: grantLeaseMs });
  const artefact = sampleArtefact({
    ...{ id: newArtefactId(), type: "CodeCommit", payload: commit, source_artefacts: [goal.id] },
    ...{ produced_by_role: "hand", produced_by_agent: "hand", goal_id: goal.goal_id },
    ...{ claim_id: claim.id, metadata: { commit, changed_paths: ["docs/a"] } as never },
  });
  const ended = { claim: claim.id, grant: begun, endedAt: new Date().toISOString() };
  await board.finishGrant({ ...ended, result: { outcome: "done", artefact } });
  const made = await clan.made(goal, isCommit);
  expect(made.metadata).toEqual({ commit } as never);
  expect(await bidsOn(made)).toEqual({ owner: "review" });
});

test("bids of one claim do not stay those of another with the same type and other files", async () => {
  let round = 0;
  const coder = maker({});
  coder.behaviour = {
    bid: () => undefined,
    work: ({ type }) => {
      if (type !== "GoalDefined") return { type: "Note" };
      round += 1;
      const changed_paths = round === 1 ? ["infra/a"] : ["docs/other"];
      return { type: "CodeCommit", payload: commit, metadata: { commit, changed_paths } as never };
    },
  };
  await using scene = await clanOf({ coder, owner: person(reviews("CodeCommit", "infra/**")) });
  const { clan, bidsOn } = scene;
  const first = await clan.made(await clan.postGoal(), isCommit);
  const second = await clan.made(await clan.postGoal(), isCommit);
  expect([await bidsOn(first), await bidsOn(second)]).toEqual([
    { owner: "review", coder: "claim" },
    { coder: "claim" },
  ]);
  const placed = (await clan.board.readEvents("0", 1_000)).flatMap(bidsOf);
  expect(placed.filter(({ word }) => word === "review")).toHaveLength(1);
});
