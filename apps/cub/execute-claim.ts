// A worker's whole life: one grant of one claim, from the gate to its result.
import { exitCodes } from "../../lib/model/errors.ts";
import type { ClaimId } from "../../lib/model/ids.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import { deliverResult } from "./deliver-result.ts";
import type { Deps, Ending } from "./deps.ts";
import { readAssignment, readTask } from "./read-grant.ts";
import { runGrant } from "./run-grant.ts";
import { tellTask } from "./tell-task.ts";

/**
 * The exit code: `done` once a result, or the Failure that the work came to, stands on the blackboard; `notAccepted` when this attempt is not
 * to be had (any more, or while the instance is paused), so that nothing was run; `failed` when what it came to was refused. Rejects when
 * Redis stays away.
 */
export async function executeClaim(deps: Deps, claim: ClaimId, attempt: number, ending: Ending): Promise<number> {
  const { board, log, registration } = deps;
  const patience = { signal: ending.stop, log };
  const agent = registration.current.name;
  const assignment = await untilContact(() => readAssignment(board, agent, claim, undefined), patience);
  if (assignment?.grant.attempt !== attempt) {
    log.info("The grant is no longer to be had", { claim_id: claim, attempt });
    return exitCodes.notAccepted;
  }
  const task = await untilContact(() => readTask(board, assignment, deps.contextBytes), patience);
  tellTask(log, task);
  const result = await runGrant(deps, task, ending);
  if (result === "shut") return exitCodes.notAccepted;
  const isPosted = result !== "taken" && (await deliverResult(deps, task, result, ending));
  return isPosted ? exitCodes.done : exitCodes.failed;
}
