// Whether the result that an agent sends can be the result of its grant: the record takes from it what the work has made, and nothing else.
import { type Artefact, maxPayloadBytes, type StructuralType } from "../model/artefact.ts";
import type { Claim, RunningGrant } from "../model/claim.ts";
import type { GrantResult } from "./grant-port.ts";

/** `role`: as the agent is registered. `thread`: that of the claim's artefact. */
export type ResultOrigin = {
  claim: Pick<Claim, "id" | "artefact_id" | "goal_id" | "kind">;
  grant: Pick<RunningGrant, "agent" | "phase">;
  role: string;
  thread: string | undefined;
};

/** A sentence; undefined where nothing is wrong. */
export function mailedResultProblem({ outcome, artefact }: GrantResult, origin: ResultOrigin): string | undefined {
  const { claim, grant, role, thread } = origin;
  const { structural_type, source_artefacts } = artefact;
  if (artefact.produced_by_agent !== grant.agent) return `The result says that agent ${artefact.produced_by_agent} has made it.`;
  if (artefact.produced_by_role !== role)
    return `The result is of role ${artefact.produced_by_role}, and its agent's is ${role}.`;
  if (artefact.claim_id !== claim.id) return `The result is of claim ${artefact.claim_id || "none"}.`;
  if (artefact.goal_id !== claim.goal_id) return `The result is of goal ${artefact.goal_id}, and its claim of ${claim.goal_id}.`;
  const isNextVersion = outcome === "done" && claim.kind === "rework";
  if (isNextVersion ? artefact.logical_id !== thread : !beginsThread(artefact))
    return `The result cannot be version ${artefact.version} of thread ${artefact.logical_id}.`;
  const allowed = typesOf(outcome, origin);
  if (!allowed.includes(structural_type)) return `This work ends with ${allowed.join(" or ")}, and not with ${structural_type}.`;
  // The first source of an answer is its question.
  if (structural_type === "Answer" && source_artefacts[0] !== claim.artefact_id)
    return `An answer names its question ${claim.artefact_id} first.`;
  if (structural_type !== "Failure" && !source_artefacts.includes(claim.artefact_id))
    return `The result does not name ${claim.artefact_id}, which its claim is about.`;
  const bytes = new TextEncoder().encode(artefact.payload).byteLength;
  return bytes > maxPayloadBytes ? `The payload has ${bytes} bytes; at most ${maxPayloadBytes} (16 MiB) are allowed.` : undefined;
}

function beginsThread({ id, logical_id, version }: Artefact): boolean {
  return String(logical_id) === String(id) && version === 1;
}

function typesOf(outcome: GrantResult["outcome"], { claim, grant }: ResultOrigin): readonly StructuralType[] {
  if (outcome === "asked") return ["Question"];
  if (outcome === "failed") return ["Failure"];
  if (grant.phase === "review") return ["Review"];
  if (claim.kind === "clarification") return ["Answer"];
  return claim.kind === "rework" ? ["Standard"] : ["Standard", "Terminal"];
}
