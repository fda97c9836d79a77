// The records beside a claim that a decision needs: its artefact, and the verdicts of its phase.
import type { DecisionInput, Target } from "../../../lib/core/claim-decision.ts";
import type { Verdict } from "../../../lib/core/review-verdict.ts";
import { type ClaimSnapshot, hasVerdict } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { phaseOfStatus } from "../../../lib/model/phase.ts";
import type { TargetCache } from "./target-cache.ts";

export type TargetOf = (artefact: ArtefactId) => Target | undefined | Promise<Target | undefined>;
type Records =
  | { ok: true; value: Pick<DecisionInput, "target" | "reviews"> }
  | { ok: false; reason: string };

/**
 * Or the sentence that names the record that is missing or broken: no decision can be based on it.
 * `own`: the verdict of a review that is not stored yet. Rejects when Redis is unreachable.
 */
export async function readRecords(
  snapshot: ClaimSnapshot,
  targets: TargetCache,
  targetOf: TargetOf,
  own: Verdict | undefined,
): Promise<Records> {
  const { artefact_id } = snapshot.claim;
  try {
    const [target, reviews] = await Promise.all([
      targetOf(artefact_id),
      readReviews(snapshot, targets, own),
    ]);
    if (target === undefined)
      return { ok: false, reason: `The claim's artefact ${artefact_id} is not on the blackboard.` };
    return { ok: true, value: { target, reviews } };
  } catch (error) {
    if (error instanceof SettError && error.code === "artefact-malformed")
      return { ok: false, reason: error.message };
    throw error;
  }
}

async function readReviews(
  { claim, grants }: ClaimSnapshot,
  targets: TargetCache,
  own: Verdict | undefined,
): Promise<Verdict[]> {
  const phase = phaseOfStatus(claim.status);
  if (phase === undefined || claim.bidding === "open") return [];
  const ids = grants.flatMap((grant) =>
    grant.phase === phase && hasVerdict(grant) ? grant.artefact_ids : [],
  );
  const stored = ids.filter((id) => id !== own?.id);
  const verdicts = stored.length === 0 ? [] : await targets.readVerdicts(stored);
  if (verdicts.length === stored.length)
    return own === undefined || stored.length === ids.length ? verdicts : [...verdicts, own];
  throw new SettError(
    "artefact-malformed",
    `A review of the claim's artefact ${claim.artefact_id} is not on the blackboard.`,
  );
}
