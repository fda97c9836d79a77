// The grant that a queued one becomes when its run begins. The cub and the orchestrator make it
// alike, so that a repeat is the same text.
import { type Grant, type RunningGrant, triesOf } from "../model/claim.ts";
import { withoutUndefined } from "../model/without-undefined.ts";

type Chosen = "run_id" | "run_by" | "model_token" | "base_commit";

/** The run says this of itself. */
export type Run = Pick<RunningGrant, "started_at" | "context_ids"> & {
  [Name in Chosen]?: RunningGrant[Name] | undefined;
};

export function startedGrant(
  { agent, phase, attempt, queued_at, dialogue, ...tries }: Grant,
  { run_id, run_by, model_token, started_at, context_ids, base_commit }: Run,
): RunningGrant {
  return {
    agent,
    phase,
    attempt,
    ...triesOf(tries),
    ...withoutUndefined({ dialogue }),
    queued_at,
    state: "running",
    ...withoutUndefined({ run_id, run_by, model_token }),
    started_at,
    context_ids,
    ...withoutUndefined({ base_commit }),
  };
}
