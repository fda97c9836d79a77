// The kind of work says what a grant wants from the worker: it decides which tools end the work.
import { isApproval } from "../../../lib/model/approval.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";

/** `rework`: reviewers want a new version of the target. */
export type WorkKind = "work" | "review" | "clarification" | "rework";

export function workKindOf(input: ToolInput): WorkKind {
  if (input.target_artefact.structural_type === "Question") return "clarification";
  if (input.claim_type === "review") return "review";
  return feedbackOn(input.target_artefact, input.additional_context).length > 0 ? "rework" : "work";
}

/** The reviews that do not approve the target. */
export function feedbackOn(target: Artefact, artefacts: readonly Artefact[]): Artefact[] {
  return artefacts.filter(
    (one) =>
      one.structural_type === "Review" &&
      one.source_artefacts.includes(target.id) &&
      !isApproval(one.payload),
  );
}
