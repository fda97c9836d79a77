// A worker does one grant of one claim, from its acceptance to its result, until Redis cannot lose
// it.
import { exitCodes } from "../../../lib/model/errors.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import type { Deps, StopSignals } from "../program/deps.ts";
import { AcknowledgedResults } from "./acknowledged-results.ts";
import { deliverResult } from "./deliver-result.ts";
import { logTask, readAssignment, readTask } from "./read-grant.ts";
import { newRun, runGrant } from "./run-grant.ts";

/**
 * `wanted`: the attempt; without it the one that is queued. The exit code: `done` once the result
 * or the Failure of the work is stored for good; `notAccepted` when the blackboard refuses to start
 * this attempt (the grant has ended or moved on, or the instance is paused), so that nothing was
 * run; `failed` when the result was refused. `onBegin`: from now on there is work that would be
 * lost with this process. Rejects when Redis stays away before that.
 */
export async function executeClaim(
  deps: Deps,
  claim: ClaimId,
  wanted: number | undefined,
  signals: StopSignals,
  onBegin: () => void = () => {},
): Promise<number> {
  const { board, log, registration } = deps;
  const contact = { signal: signals.stop, log };
  const agent = registration.current.name;
  const assignment = await untilContact(() => readAssignment(board, agent, claim), contact);
  if (assignment === undefined || (wanted !== undefined && assignment.grant.attempt !== wanted)) {
    log.info("The grant is no longer available", { claim_id: claim, attempt: wanted });
    return exitCodes.notAccepted;
  }
  const task = await untilContact(() => readTask(board, assignment, deps.contextBytes), contact);
  logTask(log, task);
  onBegin();
  const run = await runGrant(deps, task, newRun(deps), signals);
  if (run === "not-accepted") return exitCodes.notAccepted;
  const acknowledged = new AcknowledgedResults(deps);
  const over = new AbortController();
  const ended = acknowledged.run(over.signal, signals.kill);
  const isPosted =
    run !== "lost" &&
    (await deliverResult(deps, run, run.result, signals, (order) => acknowledged.add(order)));
  over.abort();
  await ended;
  await deps.outputs?.settled(signals.kill);
  return isPosted ? exitCodes.done : exitCodes.failed;
}
