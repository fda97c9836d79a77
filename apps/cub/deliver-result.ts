// Posts what a grant came to, however long it takes to reach the blackboard: until it stands there, or the grant is taken away, the lease is renewed.
import type { GrantResult } from "../../lib/blackboard/port.ts";
import type { Claim, Grant } from "../../lib/model/claim.ts";
import { messageOf } from "../../lib/model/errors.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import type { Deps, Ending } from "./deps.ts";
import { underLease } from "./keep-lease.ts";

/**
 * True when it stands there. A refused result (the grant is somebody else's by now, its claim or goal ended) is logged and dropped. Never
 * rejects.
 */
export async function deliverResult(
  deps: Deps,
  { claim, grant }: { claim: Pick<Claim, "id">; grant: Pick<Grant, "agent" | "attempt"> },
  result: GrantResult,
  { kill }: Ending,
): Promise<boolean> {
  const { board, clock, metrics, watch } = deps;
  const { artefact } = result;
  const { id: artefact_id, logical_id, type, structural_type } = artefact;
  const log = deps.log.with({ claim_id: claim.id, artefact_id, logical_id, type, structural_type });
  const order = { claim: claim.id, agent: grant.agent, attempt: grant.attempt, endedAt: clock.now().toISOString(), result };
  try {
    const onRetry = () => watch.executor.turn();
    const lease = { claim: claim.id, agent: grant.agent, attempt: grant.attempt };
    const finish = () => board.finishGrant(order);
    // Redis may have no room for a large result while it takes everybody's small writes: their time goes on, and so would the lease's.
    const held = await underLease(deps, lease, { maxMs: Number.POSITIVE_INFINITY, kill }, (signal) =>
      untilContact(finish, { signal, log, onRetry }),
    );
    // A renewal that came after the result found no grant to renew: asked once more, the blackboard repeats its first answer.
    const answer = held.outcome === "done" ? held.result : await finish();
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
