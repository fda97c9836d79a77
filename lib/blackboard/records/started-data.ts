// The event of a start names what the command gets beside the artefact that its claim is about: a
// later attempt writes over the record of the grant, and the log keeps what each had.
import { createHash } from "node:crypto";
import type { RunningGrant } from "../../model/claim.ts";
import type { EventDraft } from "../../model/event.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";

/** Events are small. The digest of a longer list is that of the list in the grant's record. */
export const maxNamedInputs = 32;

/** `inputs`, `inputs_left_out`, `inputs_sha256`, `base_commit`: what there is of them. */
export function startedData({
  phase,
  attempt,
  context_ids: ids,
  base_commit,
}: Pick<RunningGrant, "phase" | "attempt" | "context_ids" | "base_commit">): NonNullable<
  EventDraft["data"]
> {
  const leftOut = ids.length - maxNamedInputs;
  return {
    phase,
    attempt,
    ...(ids.length > 0 && { inputs: ids.slice(0, maxNamedInputs).join(" ") }),
    ...(leftOut > 0 && {
      inputs_left_out: leftOut,
      inputs_sha256: createHash("sha256").update(ids.join(" ")).digest("hex"),
    }),
    ...withoutUndefined({ base_commit }),
  };
}
