// A commit as the arguments of commit-claim.lua.

import type { ClaimCommit } from "../port/claims.ts";
import { memberOfDue } from "../records/due-member.ts";
import { leaderOf } from "../records/event-actor.ts";
import type { ArgumentsOf } from "./call.ts";
import { grantedField } from "./claim-fields.ts";
import { artefactRecord, eventRecord, grantRecord, newClaimRecord } from "./records.ts";

export function commitArgs(commit: ClaimCommit): ArgumentsOf<"commitClaim"> {
  return {
    epoch: commit.epoch,
    claim: commit.claim,
    expected_rev: commit.expectedRev,
    commit_id: commit.commitId,
    status: commit.set.status ?? "",
    bidding: commit.set.bidding ?? "",
    fields: fieldsSet(commit.set),
    bids: commit.bids,
    grants: commit.grants.map(grantRecord),
    artefacts: commit.artefacts.map(artefactRecord),
    new_claims: commit.claims.map((open) => newClaimRecord(open, commit.epoch)),
    clear_due: commit.due.clear.map(memberOfDue),
    set_due: commit.due.set.map(({ item, afterMs }) => ({
      member: memberOfDue(item),
      after_ms: afterMs,
    })),
    events: commit.events.map((event) => eventRecord(event, leaderOf(commit.epoch))),
  };
}

function fieldsSet({
  granted,
  reviews_after,
  ...texts
}: ClaimCommit["set"]): Record<string, string> {
  return {
    ...texts,
    ...(reviews_after && { reviews_after: JSON.stringify(reviews_after) }),
    ...(granted && Object.fromEntries([grantedField(granted.phase, granted.agents)])),
  };
}
