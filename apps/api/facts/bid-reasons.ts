// Why agents have bid as they did: the log has the words of their models.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { positionSince } from "../../../lib/client/facts/since.ts";
import { type ClaimSnapshot, missingBidders } from "../../../lib/model/claim.ts";
import type { AgentName } from "../../../lib/model/ids.ts";

const pageSize = 500;
/** Bids come soon after the claim; a busy log has many other events meanwhile. */
const maxLookedAt = 10_000;

export async function bidReasons(
  board: Pick<PersonBlackboard, "readEvents" | "listAgents" | "time">,
  { claim }: ClaimSnapshot,
): Promise<Map<AgentName, string>> {
  const agents = await board.listAgents();
  const askers = new Set(agents.flatMap(({ name, asks_model }) => (asks_model ? [name] : [])));
  const missing = new Set(missingBidders(claim));
  let left = claim.electorate.filter((agent) => askers.has(agent) && !missing.has(agent)).length;
  const reasons = new Map<AgentName, string>();
  let from = await positionSince(claim.created_at, board);
  for (let lookedAt = 0; left > 0 && lookedAt < maxLookedAt; ) {
    const page = await board.readEvents(from, pageSize);
    for (const { type, claim_id, agent, data } of page) {
      if (type !== "bid_placed" || claim_id !== claim.id || agent === undefined) continue;
      if (askers.has(agent)) left -= 1;
      if (typeof data?.reason === "string") reasons.set(agent, data.reason);
    }
    lookedAt += page.length;
    if (page.length < pageSize) break;
    from = page.at(-1)?.id ?? from;
  }
  return reasons;
}
