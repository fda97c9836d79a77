// Reads and writes members of the zsets of what is due: `bids:<claim>` in `due:bids`,
// `lease:<claim>:<agent>:<attempt>` in `due:lease`.

import { AgentName, ClaimId } from "../../model/ids.ts";
import { unreachable } from "../../model/unreachable.ts";
import type { FoundDue } from "../port/leader.ts";

export const dueKinds = [
  "bids",
  "announce",
  "lease",
  "attempt",
  "unreadable",
] as const satisfies FoundDue["kind"][];

/** The kinds that have a zset. */
export const storedKinds = [
  "bids",
  "announce",
  "lease",
  "attempt",
] as const satisfies FoundDue["kind"][];

/** The kind whose zset has the member, as `due_key` in lua/prelude.lua. */
export function storedKindOf(member: string): (typeof storedKinds)[number] {
  const [word] = /^[a-z]+/.exec(member) ?? [];
  return storedKinds.find((kind) => kind === word) ?? "bids";
}

export function memberOfDue(item: FoundDue): string {
  switch (item.kind) {
    case "bids":
    case "announce":
      return `${item.kind}:${item.claim}`;
    case "lease":
    case "attempt":
      return `${item.kind}:${item.claim}:${item.agent}:${item.attempt}`;
    case "unreadable":
      return item.member;
    default:
      return unreachable(item);
  }
}

/**
 * A member that Sett did not write is `unreadable`, and is to be removed: also one that only
 * resembles ours.
 */
export function dueOfMember(member: string): FoundDue {
  const item = itemOf(member);
  return memberOfDue(item) === member ? item : { kind: "unreadable", member };
}

function itemOf(member: string): FoundDue {
  const [kind, claimText, agentText, attemptText] = member.split(":");
  const claim = ClaimId.safeParse(claimText).data;
  if (claim === undefined) return { kind: "unreadable", member };
  if (kind === "bids" || kind === "announce") return { kind, claim };
  const agent = AgentName.safeParse(agentText).data;
  const attempt = Number(attemptText);
  if ((kind !== "lease" && kind !== "attempt") || agent === undefined || !Number.isInteger(attempt))
    return { kind: "unreadable", member };
  return { kind, claim, agent, attempt };
}
