// Says what a decision has done, to the log of the service and to its metrics.
import type { Decision } from "../../../lib/core/claim-decision.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { Deps } from "../leader/deps.ts";

export function reportDecision(
  { log, metrics }: Pick<Deps, "log" | "metrics">,
  { claim, writes }: Decision,
): void {
  const about = { claim_id: claim.id, goal_id: claim.goal_id };
  for (const write of writes) {
    switch (write.kind) {
      case "enter":
        metrics.grants.inc({ phase: write.phase }, write.grants.length);
        log.info("Granted", {
          ...about,
          phase: write.phase,
          agents: write.grants.map((grant) => grant.agent),
        });
        break;
      case "complete":
        metrics.claims.inc({ outcome: "complete" });
        log.info("Completed claim", about);
        break;
      case "terminate":
        metrics.claims.inc({ outcome: "terminated" });
        log.warn("Terminated claim", { ...about, reason: write.reason });
        break;
      case "bid":
        log.warn("Imposed a missing bid", { ...about, agent: write.agent, bid: write.word });
        break;
      case "retry_later":
        log.warn("An attempt failed; another follows", {
          ...about,
          agent: write.grant.agent,
          attempt: write.grant.attempt,
          reason: write.grant.reason,
          after_ms: write.afterMs,
        });
        break;
      case "move":
        metrics.grants.inc({ phase: write.grant.phase });
        log.warn("Moved a grant", {
          ...about,
          agent: write.grant.agent,
          from: write.from.agent,
          reason: write.from.reason,
        });
        break;
      case "retry":
      case "resume":
        metrics.grants.inc({ phase: write.grant.phase });
        break;
      case "standing_bids":
      case "close_bidding":
      case "extend_bidding":
      case "end_grant":
      case "fail":
      case "follow_up":
      case "close_question":
        break;
      default:
        unreachable(write);
    }
  }
}
