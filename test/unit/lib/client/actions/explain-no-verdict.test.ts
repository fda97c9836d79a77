import { expect, test } from "bun:test";
import type { PersonBlackboard } from "../../../../../lib/blackboard/port/holders.ts";
import { explainNoVerdict } from "../../../../../lib/client/actions/explain-no-verdict.ts";
import { cancelGrants } from "../../../../../lib/core/cancel-grants.ts";
import type { ClaimSnapshot } from "../../../../../lib/model/claim.ts";
import {
  ago,
  nowMs,
  openClaim,
  waitingForApproval,
} from "../../../../support/claims/sample-claims.ts";
import { sampleAgent, sampleArtefact } from "../../../../support/records/sample.ts";

const reason = "A person has posted version 2.";

function explain(snapshot: ClaimSnapshot) {
  const board: Partial<PersonBlackboard> = {
    claimsOfArtefact: async () => new Map([["standard", snapshot.claim.id]]),
    readClaims: async () => [snapshot],
    readGoal: async () => ({ artefacts: 1 }) as never,
    readArtefacts: async () => [],
    listOpenClaims: async () => [],
    listAgents: async () => [sampleAgent("lead", { human: true })],
    listStatuses: async () => new Map(),
    readLeader: async () => undefined,
    readPause: async () => undefined,
    readPausedGoals: async () => new Map(),
    readHolds: async () => [],
    time: async () => nowMs,
    readMemory: async () => ({ usedBytes: 1, limitBytes: undefined }) as never,
    readNoticeProblems: async () => [],
    contactProblem: () => undefined,
  };
  const artefact = sampleArtefact({ type: "Draft" });
  return explainNoVerdict(board as PersonBlackboard, (text) => text, artefact, undefined, []);
}

test("ends its sentence once, where the reason is a sentence of its own", async () => {
  const { claim, grants } = openClaim({ lead: "review" }, { bidding: "closed" }, [
    waitingForApproval("lead"),
  ]);
  const ended = { ...claim, status: "terminated", termination_reason: reason } as const;
  expect(await explain({ claim: ended, grants: cancelGrants(grants, ago(1), reason) })).toMatch(
    /^Draft \w{8} needs no verdict of yours any more: A person has posted version 2\.$/,
  );
  expect(await explain({ claim: ended, grants: [] })).toMatch(
    /: its claim \w{8} is terminated \(A person has posted version 2\)\.$/,
  );
});
