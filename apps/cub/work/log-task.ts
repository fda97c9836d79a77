// The log lines of a task that the cub has read and is about to accept.
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { Task } from "./read-grant.ts";

export function logTask(log: JsonLog, { claim, grant, inputs }: Task): void {
  const about = log.with({ claim_id: claim.id, artefact_id: claim.artefact_id });
  about.info("Work Executor received claim from queue", {
    phase: grant.phase,
    attempt: grant.attempt,
  });
  if (!inputs.ok) return about.error("Failed to fetch target artefact", { reason: inputs.reason });
  const { target, contextChain } = inputs.value;
  const { logical_id, type, version } = target;
  about.info("Fetched target artefact", {
    logical_id,
    type,
    version,
    context: contextChain.length,
  });
}
