// The verdict of a review: approval only by `{}` or `[]`
// (docs/internals/claims.md#reviews-and-the-feedback-loop), so that a reviewer never approves by
// accident.
import { isApproval } from "../model/approval.ts";
import type { Artefact } from "../model/artefact.ts";

/**
 * A decision needs this of a Review. `excerpt`: the beginning of its feedback; empty where it
 * approves. `by`: the person, as the record names them.
 */
export type Verdict = {
  id: Artefact["id"];
  agent: string;
  approves: boolean;
  excerpt: string;
  by?: string;
};

/** Keeps texts that quote feedback readable; the whole is on the blackboard. */
const maxExcerptLength = 2_000;

export function verdictOf({
  id,
  produced_by_agent,
  payload,
  metadata = {},
}: Pick<Artefact, "id" | "produced_by_agent" | "payload"> &
  Partial<Pick<Artefact, "metadata">>): Verdict {
  const approves = isApproval(payload);
  const excerpt =
    payload.length > maxExcerptLength ? `${payload.slice(0, maxExcerptLength)}…` : payload;
  return {
    ...{ id, agent: produced_by_agent, approves, excerpt: approves ? "" : excerpt },
    ...(typeof metadata.by === "string" && { by: metadata.by }),
  };
}
