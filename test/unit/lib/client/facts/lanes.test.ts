import { expect, test } from "bun:test";
import { readLanes } from "../../../../../lib/client/facts/lanes.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import type { Claim, Grant } from "../../../../../lib/model/claim.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";
import { LaneName } from "../../../../../lib/model/lane.ts";
import { sampleAgent, sampleArtefact, sampleClaim } from "../../../../support/records/sample.ts";

const [merge, coder] = [sampleAgent("merge", { lane: "main" }), sampleAgent("coder")];
const at = (second: number) => new Date(Date.parse("2026-01-01") + second * 1000).toISOString();
const base = { phase: "exclusive", attempt: 1 } as const;
const started = { started_at: at(9), context_ids: [] };
const queued = (agent: Grant["agent"], second: number): Grant => ({
  ...{ ...base, agent, queued_at: at(second), state: "queued" },
});

function claim(grants: Grant[], over: Partial<Claim> = {}) {
  return { claim: { ...sampleClaim(sampleArtefact(), [merge.name]), ...over }, grants };
}

/** `reviews`: what the record has of them. */
function boardWith(tip: string | undefined, reviews: readonly Artefact[] = []) {
  const lanes =
    tip === undefined ? [] : [{ lane: LaneName.parse("main"), commit: CommitHash.parse(tip) }];
  return {
    listLanes: async () => lanes,
    readHeads: async (ids: readonly Artefact["id"][]) =>
      reviews
        .filter(({ id }) => ids.includes(id))
        .map((head) => ({
          ...{ head, payloadBytes: 0, beginning: "" },
        })),
  };
}

test("a lane has its tip, what it merges, and the goals that wait in the order of their grants", async () => {
  const [second, first] = [claim([queued(merge.name, 8)]), claim([queued(merge.name, 5)])];
  const tried = claim([{ ...queued(merge.name, 1), ...started, state: "running" }]);
  const other = claim([queued(coder.name, 1)]);
  const open = [second, other, first, tried];
  const lanes = await readLanes(boardWith("a".repeat(40)), { agents: [coder, merge], open });
  expect([...lanes.keys()]).toEqual([merge.name]);
  const lane = lanes.get(merge.name);
  expect(lane).toMatchObject({ name: "main", agent: "merge", tip: "a".repeat(40), blocked: [] });
  expect(lane?.merges).toMatchObject({ goal_id: tried.claim.goal_id, since: at(9) });
  expect(lane?.next.map(({ claim_id }) => claim_id)).toEqual([first.claim.id, second.claim.id]);
});

test("a goal that the lane has sent back is stopped until its rework ends, and one of a reviewer is not", async () => {
  const byLane = sampleArtefact({
    ...{ structural_type: "Review", produced_by_agent: merge.name },
    metadata: { summary: "It conflicts" },
  });
  const byReviewer = sampleArtefact({
    ...{ structural_type: "Review", produced_by_agent: "reviewer" },
    metadata: { summary: "No" },
  });
  const rework = (review: Artefact, grants: Grant[]) =>
    claim(grants, { kind: "rework", created_at: at(3), additional_context_ids: [review.id] });
  const sentBack = rework(byLane, [queued(coder.name, 4)]);
  const open = [sentBack, rework(byReviewer, [queued(coder.name, 4)])];
  const board = boardWith(undefined, [byLane, byReviewer]);
  const lanes = await readLanes(board, { agents: [merge], open });
  const { goal_id, artefact_id, id: claim_id } = sentBack.claim;
  expect(lanes.get(merge.name)).toEqual({
    ...{ name: "main", agent: merge.name, tip: null, merges: null, next: [] },
    blocked: [
      {
        ...{ goal_id, artefact_id, claim_id, since: at(3) },
        ...{ waits_for: "rework", agent: coder.name, reason: "It conflicts" },
      },
    ],
  } as never);
});

test("an attempt of the lane that is to be made again stops its goal", async () => {
  const failed: Grant = {
    ...{ ...queued(merge.name, 1), ...started, state: "failed" },
    ...{ ended_at: at(20), artefact_ids: [], reason: "No memory", retry_at: at(60) },
  };
  const lanes = await readLanes(boardWith(undefined), { agents: [merge], open: [claim([failed])] });
  expect(lanes.get(merge.name)?.blocked).toMatchObject([
    { waits_for: "retry", agent: "merge", reason: "No memory", since: at(20) },
  ]);
});

test("a paused goal waits until it is resumed, and the others are next", async () => {
  const [paused, other] = [claim([queued(merge.name, 5)]), claim([queued(merge.name, 8)])];
  const pausedGoals = new Map([
    [paused.claim.goal_id, { since: at(30), by: "person:Ada <a@b.c>" }],
  ]);
  const situation = { agents: [merge], open: [paused, other], pausedGoals };
  const lane = (await readLanes(boardWith(undefined), situation)).get(merge.name);
  expect(lane?.next.map(({ claim_id }) => claim_id)).toEqual([other.claim.id]);
  expect(lane?.blocked).toMatchObject([
    { claim_id: paused.claim.id, waits_for: "resume", since: at(30), reason: "by Ada" },
  ]);
});

test("without a lane the record is not asked", async () => {
  const refusing = {
    listLanes: () => Promise.reject(new Error("asked")),
    readHeads: () => Promise.reject(new Error("asked")),
  };
  expect(await readLanes(refusing, { agents: [coder], open: [] })).toEqual(new Map());
});
