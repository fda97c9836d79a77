// A commit as the words that commit-claim.lua takes.
import { memberOfDue } from "../due-member.ts";
import type { ClaimCommit } from "../port.ts";
import { grantedField, textOfGrant } from "./claim-fields.ts";
import { artefactWords, eventWords, listed, newClaimWords } from "./script-arguments.ts";

export function commitWords(commit: ClaimCommit): string[] {
  return [
    String(commit.epoch),
    commit.claim,
    String(commit.expectedRev),
    commit.commitId,
    ...listed(fieldsSet(commit.set), (field) => field),
    ...listed(commit.bids, (bid) => [bid.agent, bid.word]),
    ...listed(commit.grants, (grant) => [grant.agent, grant.state, String(grant.attempt), textOfGrant(grant)]),
    ...listed(commit.artefacts, artefactWords),
    ...listed(commit.claims, newClaimWords),
    ...listed(commit.due.clear, (item) => [memberOfDue(item)]),
    ...listed(commit.due.set, ({ item, afterMs }) => [memberOfDue(item), String(afterMs)]),
    ...listed(commit.events, eventWords),
  ];
}

function fieldsSet(set: ClaimCommit["set"]): [string, string][] {
  const fields: [string, string][] = [];
  if (set.status !== undefined) fields.push(["status", set.status]);
  if (set.bidding !== undefined) fields.push(["bidding", set.bidding]);
  if (set.termination_reason !== undefined) fields.push(["termination_reason", set.termination_reason]);
  if (set.granted !== undefined) fields.push(grantedField(set.granted.phase, set.granted.agents));
  return fields;
}
