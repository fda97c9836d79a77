// From an artefact to an agent's bid, as far as it needs no help from outside (docs/internals/cub.md#deciding-a-bid).
import type { AgentRegistration } from "../model/agent.ts";
import { type Artefact, goalType } from "../model/artefact.ts";
import type { BidRule, BidWord } from "../model/bid.ts";
import { matchesPattern } from "./match-pattern.ts";

/** What a bid is decided on. */
export type BidSubject = Pick<Artefact, "type" | "produced_by_role">;

type Bidder = Pick<AgentRegistration, "role" | "bids">;

/** The word of the first rule that matches, `ignore` when none does; undefined for an agent without rules, whose word nobody can know. */
export function bidByRules(subject: BidSubject, bidder: Bidder): BidWord | undefined {
  if (bidder.bids.length === 0) return undefined;
  const isOwn = subject.produced_by_role === bidder.role;
  // On its own output only a rule that names the role speaks: `*` there would be a runaway written by accident.
  const rule = bidder.bids.find((one) => matches(one, subject) && (!isOwn || one.from === bidder.role));
  return rule?.bid ?? "ignore";
}

/** The runaway guard: its own role made it, and no rule that matches has a `from` naming that role. Such a bid is `ignore`, whoever decides. */
export function isGuardedAgainst(subject: BidSubject, bidder: Bidder): boolean {
  if (subject.produced_by_role !== bidder.role) return false;
  return !bidder.bids.some((rule) => rule.from === bidder.role && matches(rule, subject));
}

/** For an agent with nothing configured: it wants every goal for itself and nothing else. */
export function bidByDefault(subject: BidSubject): BidWord {
  return subject.type === goalType ? "exclusive" : "ignore";
}

function matches(rule: BidRule, subject: BidSubject): boolean {
  return (
    matchesPattern(rule.on, subject.type) && (rule.from === undefined || matchesPattern(rule.from, subject.produced_by_role))
  );
}
