// Posts the result of a grant, however long Redis is away or refuses writes. The cub renews the
// lease until the result is stored or the grant is lost. A result that is refused while its attempt
// goes on ends that attempt, with the reason: otherwise the lease would lapse, and the record would
// say that the agent had crashed.
import type { ClaimOfWork, GrantResult } from "../../../lib/blackboard/port/grants.ts";
import { failureReport } from "../../../lib/core/failure-report.ts";
import { failureArtefact } from "../../../lib/core/result-artefact.ts";
import type { RunningGrant } from "../../../lib/model/claim.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { ArtefactId } from "../../../lib/model/ids.ts";
import { laneMoveOf } from "../../../lib/model/lane.ts";
import { toolFailureType } from "../../../lib/model/tool-contract.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { isAway, untilContact } from "../../../lib/service/until-contact.ts";
import type { Deps, StopSignals } from "../program/deps.ts";
import { noEnd } from "./judge-outcome.ts";
import { underLease } from "./keep-lease.ts";

/**
 * How long a result is sent again that Redis refuses to take at all, as it does after a change of
 * this agent's rights. The orchestrator tries as long to store one.
 */
const refusedForMs = 15 * 60_000;

type Order = Parameters<Deps["board"]["finishGrant"]>[0];
type Finished = { claim: ClaimOfWork; grant: RunningGrant };
type Failed = GrantResult & { outcome: "failed" };
type Sending = StopSignals & { log: JsonLog; onAnswered: (order: Order) => void };

/**
 * True when the result is stored. A refused one is logged and dropped: another attempt has the
 * grant by now, its claim or goal has ended, or the record does not take it, which is then posted
 * as a Failure of this attempt. Once an order is answered, `onAnswered` gets it: a Redis that
 * crashes may lose the answer, and what a refusal went by as well. Never rejects.
 */
export async function deliverResult(
  deps: Deps,
  { claim, grant }: Finished,
  result: GrantResult,
  signals: StopSignals,
  onAnswered: (order: Order) => void = () => {},
): Promise<boolean> {
  const { id: artefact_id, logical_id, type, structural_type } = result.artefact;
  const log = deps.log.with({ claim_id: claim.id, artefact_id, logical_id, type, structural_type });
  const sending = { ...signals, log, onAnswered };
  const order = { claim: claim.id, grant, endedAt: deps.clock.now().toISOString(), result };
  try {
    const answer = await sendSteadily(deps, { claim, grant }, order, sending);
    if (answer.outcome === "finished") {
      logStored(deps, result, log);
      return true;
    }
    const { reason, failure } = answer;
    log.error("Failed to create artefact", { reason });
    if (failure === undefined) return false;
    const end = { ...order, endedAt: failure.artefact.created_at, result: failure };
    const ended = await send(deps, end, sending);
    if (ended.outcome !== "refused") logStored(deps, failure, log);
  } catch (error) {
    log.error("Failed to create artefact", { reason: messageOf(error) });
  }
  return false;
}

/**
 * The answer to a result, with the Failure to post instead where there is one. A Redis that has
 * lost what a result was refused for may take it: the refusal and the look at the attempt are of
 * one connection.
 */
async function sendSteadily(
  deps: Deps,
  finished: Finished,
  order: Order,
  sending: Sending,
): Promise<{ outcome: "finished" } | { outcome: "refused"; reason: string; failure?: Failed }> {
  const since = deps.board.contactSince();
  const answer = await send(deps, order, sending);
  if (answer.outcome !== "refused") return { outcome: "finished" };
  const failure = await failureInstead(deps, finished, { ...order, ...answer }, sending);
  if (deps.board.contactSince() !== since)
    return await sendSteadily(deps, finished, order, sending);
  return { ...answer, ...withoutUndefined({ failure }) };
}

/**
 * Redis may have no room for a large result and still accept small writes: then deadlines count,
 * and the lease must be renewed.
 */
async function send(deps: Deps, order: Order, { kill, log, onAnswered }: Sending) {
  const { board, clock, watch } = deps;
  const { claim, grant } = order;
  const onRetry = () => watch.executor.markProgress();
  const lease = { claim, agent: grant.agent, attempt: grant.attempt };
  const finish = () => board.finishGrant(order);
  let refusedAtMs: number | undefined;
  const isPassing = (error: unknown) => {
    if (isAway(error)) return true;
    if (!(error instanceof SettError && error.code === "blackboard-refused")) return false;
    refusedAtMs ??= clock.passedMs();
    return clock.passedMs() - refusedAtMs < refusedForMs;
  };
  const delivery = await underLease(
    deps,
    lease,
    { maxMs: Number.POSITIVE_INFINITY, kill },
    (signal) => untilContact(finish, { signal, log, onRetry, isPassing }),
  );
  // A renewal that arrives after the result is refused too. A repeated finish-grant gets the
  // first answer again, which decides.
  const answer = delivery.outcome === "done" ? delivery.result : await finish();
  onAnswered(order);
  return answer;
}

/**
 * The Failure that says why the result was refused; undefined where the attempt is over, where
 * Redis has lost what it was made from, or where its lane has moved: then the orchestrator has it
 * made again.
 */
async function failureInstead(
  { board, clock, newId, registration }: Deps,
  { claim, grant }: Finished,
  refused: { result: GrantResult; reason: string },
  { kill: signal, log }: Sending,
): Promise<Failed | undefined> {
  const stored = await untilContact(() => board.readClaim(claim.id), { signal, log });
  const now = stored?.grants.find(({ agent }) => agent === grant.agent);
  if (now?.state !== "running" || now.attempt !== grant.attempt || now.run_id !== grant.run_id)
    return undefined;
  const move = laneMoveOf(refused.result.artefact);
  const tip = move && (await untilContact(() => board.readLane(move.lane), { signal, log }));
  if (move !== undefined && move.onto !== (tip ?? "")) return undefined;
  const { id, type, source_artefacts } = refused.result.artefact;
  const found = await untilContact(() => board.readHeads(source_artefacts), { signal, log });
  const heads = new Map(found.map(({ head }) => [head.id, head]));
  if (source_artefacts.some((source) => !heads.has(source))) return undefined;
  // A target whose record was overwritten is the source of nothing.
  const hasTarget = heads.get(claim.artefact_id)?.goal_id === claim.goal_id;
  const reason = `The result ${type} (${id}) was refused and is not on record: ${refused.reason}`;
  const origin = {
    ...{ id: ArtefactId.parse(newId()), at: clock.now().toISOString() },
    ...{ agent: registration.current, claim },
  };
  const failure = {
    ...{ type: toolFailureType, reason, sources: hasTarget ? [claim.artefact_id] : [] },
    payload: JSON.stringify(failureReport(noEnd(reason))),
  };
  return { outcome: "failed", artefact: failureArtefact(origin, failure), reason };
}

function logStored({ metrics }: Deps, result: GrantResult, log: JsonLog): void {
  const { artefact } = result;
  metrics.artefacts.inc({ type: artefact.type });
  switch (result.outcome) {
    case "done":
      metrics.successes.inc();
      log.info("Created artefact", { version: artefact.version, commit: artefact.metadata.commit });
      return;
    case "asked":
      log.info("Asked a question", { commit: result.base });
      return;
    case "failed":
      metrics.failures.inc();
      log.warn("Created Failure artefact", { reason: result.reason });
      return;
    default:
      unreachable(result);
  }
}
