// Brings one grant from its acceptance to its result: accept → work under the lease.
import type { ClaimOfWork, GrantResult } from "../../../lib/blackboard/port/grants.ts";
import type { RunBefore } from "../../../lib/blackboard/port/holders.ts";
import { startedGrant } from "../../../lib/core/started-grant.ts";
import type { RunningGrant } from "../../../lib/model/claim.ts";
import { attemptDisruptedType } from "../../../lib/model/own-types.ts";
import { toolFailureType } from "../../../lib/model/tool-contract.ts";
import { traceparentOf } from "../../../lib/model/trace-ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { newToken } from "../../../lib/models/token.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import type { Deps, StopSignals } from "../program/deps.ts";
import { modelVariables } from "../tool/model-access.ts";
import { doWork } from "./do-work.ts";
import { underLease } from "./keep-lease.ts";
import type { Task } from "./read-grant.ts";
import { RemarkDelivery } from "./remark-delivery.ts";

/**
 * The clean-ups before and after the command, and the command's own end, get so long on top of its
 * timeout; git gets as long as it moves.
 */
const besidesTheToolMs = 15 * 60_000;

/** A grant that was accepted, and the result of its work. */
export type FinishedRun = { claim: ClaimOfWork; grant: RunningGrant; result: GrantResult };

/** Returns what is known of a run before its context is. */
export function newRun({ clock, newId, ownProcess }: Deps): RunBefore {
  return {
    run_id: newId(),
    started_at: clock.now().toISOString(),
    ...withoutUndefined({ run_by: ownProcess }),
  };
}

/**
 * True where the work needs nothing but what the blackboard has, so that the agent may take the
 * grant when it reads it.
 */
export function mayTakeAtOnce({ model, secrets }: Deps): boolean {
  return model === undefined && secrets === undefined;
}

/**
 * The result to deliver. `not-accepted`: the blackboard refused to start the grant. `lost`: a
 * renewal of the lease was refused during the work. `taken`: the grant, where the agent has taken
 * it already. Rejects when Redis stays away.
 */
export async function runGrant(
  deps: Deps,
  task: Task,
  run: RunBefore,
  signals: StopSignals,
  taken?: RunningGrant,
): Promise<FinishedRun | "not-accepted" | "lost"> {
  if (taken !== undefined) return workUnderLease(deps, task, taken, signals);
  const { board } = deps;
  const { claim, grant } = task;
  const log = deps.log.with({ claim_id: claim.id, attempt: grant.attempt });
  await deps.secrets?.untilThere(signals.stop, log, () => deps.watch.executor.markProgress());
  if (signals.stop.aborted) return "not-accepted";
  // It may have waited for hours.
  const begun = { ...run, started_at: deps.clock.now().toISOString() };
  const { model } = deps;
  const token =
    model &&
    newToken({ kind: "grant", claim: claim.id, agent: grant.agent, attempt: grant.attempt });
  const running = runningGrant(task, begun, token?.digest);
  const accepted = await untilContact(
    () => board.acceptGrant({ claim: claim.id, grant: running, leaseMs: deps.grantLeaseMs }),
    {
      signal: signals.stop,
      log,
      onRetry: () => deps.watch.executor.markProgress(),
    },
  );
  if (accepted.outcome === "refused") {
    log.info("The grant is no longer available", { reason: accepted.reason });
    return "not-accepted";
  }
  if (model === undefined || token === undefined)
    return workUnderLease(deps, task, running, signals);
  const variables = modelVariables(model, token.text);
  return workUnderLease(
    { ...deps, runTool: (order) => deps.runTool({ ...order, variables }) },
    task,
    running,
    signals,
  );
}

async function workUnderLease(
  deps: Deps,
  task: Task,
  running: RunningGrant,
  signals: StopSignals,
): Promise<FinishedRun | "lost"> {
  using _ = deps.secrets?.hold();
  const { claim, grant } = task;
  const lease = { claim: claim.id, agent: grant.agent, attempt: grant.attempt };
  const maxMs = deps.registration.current.timeout_ms + besidesTheToolMs;
  const traceparent = traceparentOf({ goal: claim.goal_id, ...lease });
  const remarks = new RemarkDelivery(deps, task);
  const runTool: Deps["runTool"] = (order) =>
    remarks.during(order, (own) => deps.runTool({ ...own, traceparent }));
  // Wiping is under the lease as well: a command may leave what takes minutes to remove.
  const moves = () => deps.workingCopy?.moves ?? 0;
  const work = await underLease(deps, lease, { maxMs, moves, kill: signals.kill }, (signal) =>
    doWork({ ...deps, runTool }, task, signal).finally(() => deps.wipe?.()),
  );
  if (work.outcome === "done") {
    const isDisrupted = deps.isInCluster === true && signals.kill.aborted;
    const result = isDisrupted ? disrupted(work.result) : work.result;
    return { claim, grant: running, result: { ...result, ...remarks.delivered } };
  }
  deps.log
    .with({ claim_id: claim.id, attempt: grant.attempt })
    .warn("Lost the grant; stopped its tool and dropped its result", { reason: work.reason });
  return "lost";
}

/** That the command failed is no fault of its own. */
function disrupted(result: GrantResult): GrantResult {
  if (result.outcome !== "failed" || result.artefact.type !== toolFailureType) return result;
  const reason =
    "The cluster, or a person, has ended its pod before the work was done, as by a drain of its node: this attempt is lost.";
  const { metadata } = result.artefact;
  const said = { ...metadata, summary: reason };
  const artefact = { ...result.artefact, type: attemptDisruptedType, metadata: said };
  return { ...result, artefact, reason, failureType: attemptDisruptedType };
}

function runningGrant(
  { grant, inputs }: Task,
  run: RunBefore,
  modelToken: string | undefined,
): RunningGrant {
  const contextIds = inputs.ok
    ? [...inputs.value.contextChain, ...inputs.value.additionalContext].map(({ id }) => id)
    : [];
  const base = inputs.ok ? inputs.value.base : undefined;
  return startedGrant(grant, {
    ...run,
    model_token: modelToken,
    context_ids: [...new Set(contextIds)],
    base_commit: base,
  });
}
