// The grant that a running one becomes when its result is stored.
import type { Grant, RunningGrant } from "../model/claim.ts";
import { unreachable } from "../model/unreachable.ts";
import type { GrantResult } from "./grant-port.ts";

/** `endedAt`: ISO 8601. A grant whose result is a question does not end: it waits for the answer. */
export function endedGrant(running: RunningGrant, endedAt: string, result: GrantResult): Grant {
  const ended = { ...running, ended_at: endedAt, artefact_ids: [result.artefact.id] };
  switch (result.outcome) {
    case "done":
      return { ...ended, state: "done" };
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
      return { ...running, ...(base && { base_commit: base }), state: "waiting", waits_for: waitsFor };
    }
    default:
      return unreachable(result);
  }
}
