// The grant that a running one becomes when its result is stored.
import { isApproval } from "../../model/approval.ts";
import type { Artefact } from "../../model/artefact.ts";
import type { Grant, RunningGrant } from "../../model/claim.ts";
import { quorumData } from "../../model/quorum.ts";
import { unreachable } from "../../model/unreachable.ts";
import type { GrantResult } from "../port/grants.ts";

/**
 * `endedAt`: ISO 8601. A grant whose result is a question does not end: it waits for the answer.
 */
export function endedGrant(running: RunningGrant, endedAt: string, result: GrantResult): Grant {
  const ended = { ...running, ended_at: endedAt, artefact_ids: [result.artefact.id] };
  switch (result.outcome) {
    case "done":
      return { ...ended, state: "done", ...rejection(result.artefact) };
    case "failed":
      return {
        ...ended,
        state: "failed",
        reason: result.reason,
        ...(result.failureType && { failure_type: result.failureType }),
      };
    case "asked": {
      const { base = running.base_commit, artefact } = result;
      const waitsFor = { kind: "answer" as const, question_id: artefact.id };
      return {
        ...running,
        ...(base && { base_commit: base }),
        state: "waiting",
        waits_for: waitsFor,
      };
    }
    default:
      return unreachable(result);
  }
}

/** Returns the fields of a grant's record and of its event for a Review that does not approve. */
export function rejection({
  structural_type,
  payload,
}: Pick<Artefact, "structural_type" | "payload">): { rejects?: true } {
  return structural_type === "Review" && !isApproval(payload) ? { rejects: true } : {};
}

/** The data of the event with which a grant ends, or begins to wait. */
export function endData(grant: Grant): {
  phase: Grant["phase"];
  attempt: number;
  reason?: string;
  rejects?: true;
  [word: string]: string | number | true | undefined;
} {
  const { phase, attempt } = grant;
  if (grant.state === "failed") return { phase, attempt, reason: grant.reason };
  const rejects = grant.state === "done" && grant.rejects === true;
  return { phase, attempt, ...(rejects ? { rejects: true } : quorumData(grant.quorum)) };
}
