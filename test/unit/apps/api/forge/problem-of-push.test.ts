// A change of what a forge runs is pushed only with the approval of a person.
import { expect, test } from "bun:test";
import { problemOfPush } from "../../../../../apps/api/forge/problem-of-push.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import { Grant } from "../../../../../lib/model/claim.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";
import { derived } from "../../../../support/records/lineage.ts";
import { sampleAgent, sampleClaim } from "../../../../support/records/sample.ts";

const commit = CommitHash.parse("1".repeat(40));
const work = derived([], { type: "CodeCommit", metadata: { commit } });
const review = (payload: string) =>
  derived([work], { structural_type: "Review", type: "Review", payload });
const [yes, no] = [review("{}"), review('{"reason":"Not so"}')];

function problem(last: Artefact, rejects: boolean) {
  const at = work.created_at;
  const grant = Grant.parse({
    ...{ agent: "owner", phase: "review", attempt: 1, state: "done", context_ids: [] },
    ...{ queued_at: at, started_at: at, ended_at: at, quorum: { needed: 2 } },
    ...{ artefact_ids: [last.id, yes.id], ...(rejects && { rejects }) },
  });
  const claim = sampleClaim(work, ["owner"], { status: "pending_review", bidding: "closed" });
  const board = {
    readHeads: async () => [],
    listAgents: async () => [sampleAgent("owner", { human: true })],
    claimsOfArtefact: async () => new Map([["standard", claim.id]]),
    readClaims: async () => [{ claim, grants: [grant] }],
    readArtefacts: async (ids: readonly string[]) => [yes, no].filter(({ id }) => ids.includes(id)),
  };
  const outgoing = { read: async () => {}, commits: [], paths: [".github/workflows/ci.yml"] };
  return problemOfPush(
    { board, agent: {}, secrets: async () => [], artefact: work, commit } as never,
    { reader: {}, outgoing } as never,
  );
}

test("a person's approval lets it go, and none that came before a rejection does", async () => {
  expect(await problem(yes, false)).toBeUndefined();
  expect(await problem(no, true)).toMatchObject({
    kind: "stops",
    why: expect.stringContaining("a person has to approve it"),
  });
});
