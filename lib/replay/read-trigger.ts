// Reads what a decision was about from its events (lib/core/decision-events.ts writes it).
import type { ClaimEvent } from "../core/claim-decision.ts";
import type { SettEvent } from "../model/event.ts";
import { AgentName, ArtefactId } from "../model/ids.ts";

/**
 * `text`: undefined for mere progress. Undefined where no version has written it so. `events`:
 * those of the decision.
 */
export function readTrigger(text: unknown, events: readonly SettEvent[]): ClaimEvent | undefined {
  if (text === undefined) return { kind: "progress" };
  const [kind = "", ...words] = String(text).split(" ");
  const [agent, number] = [AgentName.safeParse(words[0]).data, Number(words[1])];
  const attempt = Number.isSafeInteger(number) ? number : undefined;
  switch (kind) {
    case "bid_deadline":
      return { kind };
    case "bidders_silent":
      return { kind, agents: words.flatMap((word) => AgentName.safeParse(word).data ?? []) };
    case "lease_lapsed":
    case "pod_silent":
    case "attempt_due":
    case "source_lost":
      return agent && attempt && words.length === 2 ? { kind, agent, attempt } : undefined;
    case "worker_lost":
    case "worker_disrupted": {
      if (!agent || !attempt) return undefined;
      const failed = events.find((event) => event.type === "grant_failed" && event.agent === agent);
      const reason = String(failed?.data?.reason ?? "");
      const end = ` Attempt ${attempt} is lost.`;
      return {
        kind,
        agent,
        attempt,
        reason: reason.endsWith(end) ? reason.slice(0, -end.length) : reason,
      };
    }
    case "agent_removed":
      return agent && { kind, agent };
    case "agent_silent":
    case "grant_waits":
      return agent && Number.isFinite(number) ? { kind, agent, forMs: number } : undefined;
    case "answered": {
      const [question, answer] = words.map((word) => ArtefactId.safeParse(word).data);
      return question && answer && { kind, question, answer };
    }
    case "goal_ended":
    case "superseded":
    case "question_closed": {
      const end = events.find(({ type }) => type === "claim_terminated");
      return { kind, reason: String(end?.data?.reason ?? "") };
    }
    default:
      return undefined;
  }
}
