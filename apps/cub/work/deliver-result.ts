// Posts the result of a grant, however long Redis is away. The cub renews the lease until the
// result is stored or the grant is lost.
import type { GrantResult } from "../../../lib/blackboard/port/grants.ts";
import type { Claim, RunningGrant } from "../../../lib/model/claim.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import type { Deps, StopSignals } from "../program/deps.ts";
import { underLease } from "./keep-lease.ts";

/**
 * True when the result is stored. A refused one (another attempt has the grant by now, or its claim
 * or goal has ended) is logged and dropped. Once it is answered, `onAnswered` gets how it was sent:
 * a Redis that crashes may lose the answer, and what a refusal went by as well. Never rejects.
 */
export async function deliverResult(
  deps: Deps,
  { claim, grant }: { claim: Pick<Claim, "id">; grant: RunningGrant },
  result: GrantResult,
  { kill }: StopSignals,
  onAnswered: (order: Parameters<Deps["board"]["finishGrant"]>[0]) => void = () => {},
): Promise<boolean> {
  const { board, clock, metrics, watch } = deps;
  const { artefact } = result;
  const { id: artefact_id, logical_id, type, structural_type } = artefact;
  const log = deps.log.with({ claim_id: claim.id, artefact_id, logical_id, type, structural_type });
  const order = { claim: claim.id, grant, endedAt: clock.now().toISOString(), result };
  try {
    const onRetry = () => watch.executor.markProgress();
    const lease = { claim: claim.id, agent: grant.agent, attempt: grant.attempt };
    const finish = () => board.finishGrant(order);
    // Redis may have no room for a large result and still accept small writes: then deadlines
    // count, and this lease must be renewed.
    const delivery = await underLease(
      deps,
      lease,
      { maxMs: Number.POSITIVE_INFINITY, kill },
      (signal) => untilContact(finish, { signal, log, onRetry }),
    );
    // A renewal that arrives after the result is refused too. A repeated finish-grant gets the
    // first answer again, which decides.
    const answer = delivery.outcome === "done" ? delivery.result : await finish();
    onAnswered(order);
    if (answer.outcome === "refused") {
      log.error("Failed to create artefact", { reason: answer.reason });
      return false;
    }
  } catch (error) {
    log.error("Failed to create artefact", { reason: messageOf(error) });
    return false;
  }
  metrics.artefacts.inc({ type });
  switch (result.outcome) {
    case "done":
      metrics.successes.inc();
      log.info("Created artefact", { version: artefact.version, commit: artefact.metadata.commit });
      return true;
    case "asked":
      log.info("Asked a question", { commit: result.base });
      return true;
    case "failed":
      metrics.failures.inc();
      log.warn("Created Failure artefact", { reason: result.reason });
      return true;
    default:
      return unreachable(result);
  }
}
