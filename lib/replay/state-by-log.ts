// A claim as it is stored beside the one to which its events lead: who knows a password of Redis
// can write an approval into a claim, without the events of one.
import type { ClaimSnapshot, Grant } from "../model/claim.ts";

/** `log`, `record`: the state of the claim and of its grants, as text. */
export type Overwritten = { claim: string; log: string; record: string };

/** Undefined where both are the same. `record`: undefined where there is no such claim. */
export function overwrittenIn(
  log: ClaimSnapshot,
  record: ClaimSnapshot | undefined,
): Overwritten | undefined {
  const [byLog, stored] = [stateText(log), record === undefined ? "nothing" : stateText(record)];
  return byLog === stored ? undefined : { claim: log.claim.id, log: byLog, record: stored };
}

function stateText({ claim, grants }: ClaimSnapshot): string {
  const each = grants.map(grantText).toSorted();
  return [claim.status, ...each].join("; ");
}

/** The events of a grant name the first of its results. */
function grantText(grant: Grant): string {
  const { agent, phase, attempt, state } = grant;
  const [result] = "artefact_ids" in grant ? grant.artefact_ids : [];
  const verdict = state === "done" && grant.rejects === true ? " rejects" : "";
  return `${agent} ${phase} ${attempt} ${state}${verdict}${result === undefined ? "" : ` ${result}`}`;
}
