// One grant from its acceptance to its result: accept → work under the lease.
import type { GrantResult } from "../../lib/blackboard/grant-port.ts";
import { startedGrant } from "../../lib/core/started-grant.ts";
import type { Claim, RunningGrant } from "../../lib/model/claim.ts";
import { traceparentOf } from "../../lib/model/trace-ids.ts";
import { newToken } from "../../lib/models/token.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import type { Deps, StopSignals } from "./deps.ts";
import { doWork } from "./do-work.ts";
import { underLease } from "./keep-lease.ts";
import { modelVariables } from "./model-access.ts";
import type { Task } from "./read-grant.ts";

/** For git before and after the command, and for the command's own end, on top of its timeout. */
const besidesTheToolMs = 15 * 60_000;

/** A grant that was accepted, and the result of its work. */
export type FinishedRun = { claim: Claim; grant: RunningGrant; result: GrantResult };

/**
 * The result to deliver. `not-accepted`: the blackboard refused to start the grant. `lost`: a renewal of the lease was refused during the
 * work. Rejects when Redis stays away.
 */
export async function runGrant(deps: Deps, task: Task, signals: StopSignals): Promise<FinishedRun | "not-accepted" | "lost"> {
  const { board, registration } = deps;
  const { claim, grant } = task;
  const log = deps.log.with({ claim_id: claim.id, attempt: grant.attempt });
  await deps.secrets?.untilThere(signals.stop, log, () => deps.watch.executor.markProgress());
  if (signals.stop.aborted) return "not-accepted";
  const { model } = deps;
  const token = model && newToken({ kind: "grant", claim: claim.id, agent: grant.agent, attempt: grant.attempt });
  const running = runningGrant(deps, task, token?.digest);
  const accepted = await untilContact(() => board.acceptGrant({ claim: claim.id, grant: running, leaseMs: deps.grantLeaseMs }), {
    signal: signals.stop,
    log,
    onRetry: () => deps.watch.executor.markProgress(),
  });
  if (accepted.outcome === "refused") {
    log.info("The grant is no longer available", { reason: accepted.reason });
    return "not-accepted";
  }
  const lease = { claim: claim.id, agent: grant.agent, attempt: grant.attempt };
  const maxMs = registration.current.timeout_ms + besidesTheToolMs;
  const variables = model && token && modelVariables(model, token.text);
  const traceparent = traceparentOf({ goal: claim.goal_id, ...lease });
  const runTool: Deps["runTool"] = (order) => deps.runTool({ ...order, traceparent, ...(variables && { variables }) });
  const work = await underLease(deps, lease, { maxMs, kill: signals.kill }, (signal) =>
    doWork({ ...deps, runTool }, task, signal),
  ).finally(() => deps.wipe?.());
  if (work.outcome === "done") return { claim, grant: running, result: work.result };
  log.warn("Lost the grant; stopped its tool and dropped its result", { reason: work.reason });
  return "lost";
}

function runningGrant({ clock, newId, ownProcess }: Deps, { grant, inputs }: Task, modelToken: string | undefined): RunningGrant {
  const contextIds = inputs.ok ? [...inputs.value.contextChain, ...inputs.value.additionalContext].map(({ id }) => id) : [];
  const base = inputs.ok ? inputs.value.base : undefined;
  return startedGrant(grant, {
    run_id: newId(),
    run_by: ownProcess,
    model_token: modelToken,
    started_at: clock.now().toISOString(),
    context_ids: [...new Set(contextIds)],
    base_commit: base,
  });
}
