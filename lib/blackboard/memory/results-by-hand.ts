// Results written by hand, on the memory blackboard: the grants that they end.
import type { ArtefactHead } from "../../model/artefact.ts";
import type { EventDraft } from "../../model/event.ts";
import type { AgentName } from "../../model/ids.ts";
import {
  type EndedByHand,
  endByHand,
  resultProblem,
  type UnfinishedGrant,
} from "../records/result-by-hand.ts";
import { aboutOf, grantProblem } from "./grants.ts";
import type { ClaimRecord, State } from "./state.ts";

type NamedGrant = { record: ClaimRecord; grant: UnfinishedGrant };

/**
 * The grant that the artefact is the result of, if it names one; or why it cannot end that grant.
 */
export function grantEndedBy(
  state: State,
  artefact: ArtefactHead,
): NamedGrant | { problem: string; about: Omit<EventDraft, "data"> } | undefined {
  const { claim_id, produced_by_agent } = artefact;
  if (claim_id === "" || produced_by_agent === "") return undefined;
  const record = state.claims.get(claim_id);
  // The field may have any text; only an agent's name has a grant.
  const agent = produced_by_agent as AgentName;
  const grant = record?.grants.get(agent);
  const expected = { claim: claim_id, agent, attempt: grant?.attempt ?? 0 };
  const problem =
    grantProblem(state, record, {
      ...expected,
      state: grant?.state === "queued" ? "queued" : "running",
    }) ??
    (record &&
      grant &&
      resultProblem(artefact, record.claim, grant, state.artefacts.get(record.claim.artefact_id)));
  if (
    record !== undefined &&
    problem === undefined &&
    (grant?.state === "queued" || grant?.state === "running")
  )
    return { record, grant };
  const about = record === undefined ? { claim_id } : aboutOf(record);
  return {
    problem: problem ?? "",
    about: { type: "result_refused", ...about, ...(grant && { agent }) },
  };
}

/**
 * To be called before the artefact is indexed: in the log the start of a grant comes before its
 * result.
 */
export function startEnd(
  state: State,
  { record, grant }: NamedGrant,
  artefact: ArtefactHead,
): EndedByHand {
  const end = endByHand(record.claim, grant, artefact, new Date(state.now()).toISOString());
  if (end.started !== undefined) {
    record.claim.rev += 1;
    state.log(end.started, "hand");
  }
  return end;
}

export function finishEnd(state: State, record: ClaimRecord, { grant, ended }: EndedByHand): void {
  state.writeGrant(record, grant);
  const wakeUps = state.wakeUps.get(grant.agent) ?? [];
  state.wakeUps.set(
    grant.agent,
    wakeUps.filter((id) => id !== record.claim.id),
  );
  record.claim.rev += 1;
  state.log(ended, "hand");
}
