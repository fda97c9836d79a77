// Another try of a failed claim at a person's request: what was done stays done, and what failed or was cancelled begins again.
import type { AgentRegistration } from "../model/agent.ts";
import type { Artefact } from "../model/artefact.ts";
import type { Claim, ClaimSnapshot, Grant } from "../model/claim.ts";
import type { ClaimId } from "../model/ids.ts";
import { newGrant, statusOfPhase } from "./claim-draft.ts";

export type RetriedClaim = { ok: true; claim: Claim; cause: string; grants: Grant[] } | { ok: false; reason: string };

/** `failed`: the claim that the Failure comes from, if it comes from one. `reason` is a sentence for whoever asked. */
export function retryClaim(input: {
  failure: Pick<Artefact, "id" | "structural_type" | "type">;
  failed: ClaimSnapshot | undefined;
  agents: readonly AgentRegistration[];
  /** Of a clarification: its question still waits for an answer. Of other claims: true. */
  isWanted: boolean;
  id: ClaimId;
  at: string;
}): RetriedClaim {
  const { failure, failed, agents, isWanted, id, at } = input;
  if (failure.structural_type !== "Failure")
    return refuse(`${failure.type} ${failure.id} is no Failure: there is nothing to try again.`);
  const lost = failed?.grants.find((grant) => grant.state === "failed" && grant.artefact_ids.includes(failure.id));
  if (failed === undefined || lost === undefined) {
    return refuse(`No attempt ended with this ${failure.type}, so there is none to be made again. State the goal anew instead.`);
  }
  const { claim } = failed;
  if (claim.status !== "terminated") return refuse("Its claim has gone on without that attempt.");
  if (!isWanted) return refuse("It was to answer a question that has its answer, or that nobody waits for any more.");
  const again = failed.grants.map((grant): Grant => {
    const { agent, phase, attempt, dialogue } = grant;
    if (grant.state === "done") return grant;
    const isPerson = agents.some(({ name, human }) => name === agent && human === true);
    return newGrant({ agent, phase, attempt: attempt + 1, ...(dialogue && { dialogue }), queued_at: at }, isPerson);
  });
  const gone = again.find(({ state, agent }) => state !== "done" && !agents.some(({ name }) => name === agent));
  if (gone !== undefined) return refuse(`Agent ${gone.agent} is not here any more to try again.`);
  return {
    ok: true,
    cause: `retry:${failure.id}`,
    claim: {
      ...claim,
      id,
      kind: claim.kind === "standard" ? "retry" : claim.kind,
      status: statusOfPhase[lost.phase],
      bidding: "closed",
      rev: 0,
      created_at: at,
      termination_reason: "",
    },
    grants: again,
  };
}

function refuse(reason: string): RetriedClaim {
  return { ok: false, reason };
}
