// Grants of the memory blackboard that somebody ends by writing the result with plain commands.
import type { ArtefactHead } from "../../model/artefact.ts";
import type { Grant } from "../../model/claim.ts";
import type { EventDraft } from "../../model/event.ts";
import type { AgentName } from "../../model/ids.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import { failureByHand, resultProblem } from "../hand-written.ts";
import { aboutOf, notCurrent } from "./grants.ts";
import type { ClaimRecord, State } from "./state.ts";

type Ending = { record: ClaimRecord; grant: Extract<Grant, { state: "queued" | "running" }> };

/** The grant that the artefact is the result of, if it names one; or why that does not end with it. */
export function grantEndedBy(
  state: State,
  artefact: ArtefactHead,
): Ending | { problem: string; about: Omit<EventDraft, "data"> } | undefined {
  const { claim_id, produced_by_agent } = artefact;
  if (claim_id === "" || produced_by_agent === "") return undefined;
  const record = state.claims.get(claim_id);
  // Any text may stand there; only that of a name has a grant.
  const agent = produced_by_agent as AgentName;
  const grant = record?.grants.get(agent);
  // Somebody who works by hand need not accept first.
  const wanted = grant?.state === "queued" ? "queued" : "running";
  const problem =
    notCurrent(state, record, claim_id, agent, grant?.attempt ?? 0, wanted) ??
    (record && grant && resultProblem(artefact, record.claim, grant, state.artefacts.get(record.claim.artefact_id)));
  if (record !== undefined && problem === undefined && (grant?.state === "queued" || grant?.state === "running"))
    return { record, grant };
  const about = record === undefined ? { claim_id } : aboutOf(record);
  return { problem: problem ?? "", about: { type: "result_refused", ...about, ...(grant && { agent }) } };
}

/** Whoever reads the log finds what every grant goes through. */
export function startByHand(state: State, { record, grant }: Ending): void {
  if (grant.state === "running") return;
  record.claim.rev += 1;
  const { agent, phase, attempt } = grant;
  state.log({ type: "grant_started", ...aboutOf(record), agent, data: { phase, attempt } }, "hand");
}

export function endByHand(state: State, { record, grant }: Ending, artefact: ArtefactHead): void {
  const { agent, phase, attempt } = grant;
  const { claim } = record;
  const at = new Date(state.now()).toISOString();
  const begun = grant.state === "running" ? grant : { ...grant, started_at: at, context_ids: [] };
  const ended = { ...begun, ended_at: at, artefact_ids: [artefact.id] };
  const reason = failureByHand(artefact);
  state.writeGrant(record, reason === undefined ? { ...ended, state: "done" } : { ...ended, state: "failed", reason });
  const woken = state.wakeUps.get(agent) ?? [];
  state.wakeUps.set(
    agent,
    woken.filter((id) => id !== claim.id),
  );
  claim.rev += 1;
  const type = reason === undefined ? "grant_done" : "grant_failed";
  const data = { phase, attempt, ...withoutUndefined({ reason }) };
  state.log({ type, ...aboutOf(record), artefact_id: artefact.id, agent, data }, "hand");
}
