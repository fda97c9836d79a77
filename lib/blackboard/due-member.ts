// What falls due, as a member of the zset `due`: `lease:<claim>:<agent>:<attempt>` and its like.

import { AgentName, ClaimId } from "../model/ids.ts";
import { unreachable } from "../model/unreachable.ts";
import type { DueItem } from "./seat-port.ts";

export function memberOfDue(item: DueItem): string {
  switch (item.kind) {
    case "bids":
    case "announce":
      return `${item.kind}:${item.claim}`;
    case "lease":
    case "attempt":
      return `${item.kind}:${item.claim}:${item.agent}:${item.attempt}`;
    default:
      return unreachable(item);
  }
}

/** Undefined for a member that Sett did not write. */
export function dueOfMember(member: string): DueItem | undefined {
  const [kind, claimText, agentText, attemptText] = member.split(":");
  const claim = ClaimId.safeParse(claimText).data;
  if (claim === undefined) return undefined;
  if (kind === "bids" || kind === "announce") return { kind, claim };
  const agent = AgentName.safeParse(agentText).data;
  const attempt = Number(attemptText);
  if ((kind !== "lease" && kind !== "attempt") || agent === undefined || !Number.isInteger(attempt)) return undefined;
  return { kind, claim, agent, attempt };
}
