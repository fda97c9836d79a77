// Deals with what has fallen due by Redis TIME: bid deadlines, lapsed leases, claims to announce again.
import type { DueItem, FoundDue } from "../../lib/blackboard/seat-port.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import type { Contact } from "./contact.ts";
import type { Decider } from "./decide-and-commit.ts";
import { Fenced, type Parts } from "./parts.ts";

/** Announcements of a claim that lacks bids come at these intervals, at the latest. */
const longestSilenceMs = 10_000;
/** Of each kind. */
const mostAtOnce = 500;
/** One that cannot be dealt with (its claim is broken) is tried again after this, and is in nobody's way meanwhile. */
const againAfterMs = 30_000;

/** Against whom time may have worked unseen: they are judged only after a grant's whole lease of unbroken contact. */
const judged: readonly FoundDue["kind"][] = ["bids", "lease"];
const others: readonly FoundDue["kind"][] = ["announce", "attempt", "unreadable"];

/** One look at what is due. */
export async function judgeDue(
  parts: Parts,
  decider: Decider,
  contact: Contact,
  grantLeaseMs: number,
  epoch: number,
): Promise<void> {
  const { board, log } = parts;
  const kinds = contact.hasLasted(grantLeaseMs) ? [...others, ...judged] : others;
  const due = await board.listDue(mostAtOnce, kinds);
  // Asked afterwards: a clock that was set before the list was made is noticed before it is believed.
  const setByMs = contact.turn(await board.time());
  if (setByMs !== 0)
    log.warn("Redis' clock was set: deadlines and leases are judged after a while", { by_ms: Math.round(setByMs) });
  const mayJudge = contact.hasLasted(grantLeaseMs);
  const trusted = due.filter(({ kind }) => mayJudge || !judged.includes(kind));
  await Promise.all(trusted.map((item) => judgeByItself(parts, decider, item, epoch)));
}

/** One that fails holds up no other. */
async function judgeByItself(parts: Parts, decider: Decider, item: FoundDue, epoch: number): Promise<void> {
  try {
    await judge(parts, decider, item, epoch);
  } catch (error) {
    if (error instanceof Fenced || isAway(error)) throw error;
    parts.log.error("Could not deal with what is due; trying again later", { due: item, error, again_in_ms: againAfterMs });
    const { outcome } = await parts.board.deferDue([item], againAfterMs, epoch);
    if (outcome === "fenced") throw new Fenced(epoch);
  }
}

async function judge(parts: Parts, decider: Decider, item: FoundDue, epoch: number): Promise<void> {
  switch (item.kind) {
    case "announce":
      return askAgain(parts, decider, item, epoch);
    case "bids":
      await decider.decide(item.claim, { kind: "bid_deadline" }, epoch);
      return clear(parts, item, epoch);
    case "lease":
      await decider.decide(item.claim, { kind: "lease_lapsed", agent: item.agent, attempt: item.attempt }, epoch);
      return clear(parts, item, epoch);
    case "attempt":
      await decider.decide(item.claim, { kind: "attempt_due", agent: item.agent, attempt: item.attempt }, epoch);
      return clear(parts, item, epoch);
    case "unreadable":
      parts.log.warn("Took out of what is due what cannot be read", { member: item.member });
      return clear(parts, item, epoch);
    default:
      unreachable(item);
  }
}

/** A claim that lacks bids: those that people have written into its hash with plain `HSET` are taken in, then it is announced again. */
async function askAgain(parts: Parts, decider: Decider, item: DueItem & { kind: "announce" }, epoch: number): Promise<void> {
  const { board, clock, log } = parts;
  const adopted = await board.adoptBids(item.claim, epoch);
  if (adopted.outcome === "fenced") throw new Fenced(epoch);
  if (adopted.count > 0) await decider.decide(item.claim, { kind: "progress" }, epoch);
  const snapshot = await board.readClaim(item.claim);
  if (snapshot === undefined) return clear(parts, item, epoch);
  // The silence grows with the claim's age: a restarted cub is told soon, a claim that waits for days costs nothing.
  const ageMs = clock.now().getTime() - Date.parse(snapshot.claim.created_at);
  const nextAfterMs = Math.min(longestSilenceMs, Math.max(2_000, ageMs));
  const { outcome } = await board.announceClaim({ claim: item.claim, epoch, nextAfterMs });
  if (outcome === "fenced") throw new Fenced(epoch);
  if (outcome === "ended") return clear(parts, item, epoch);
  log.info("Announced claim again", { claim_id: item.claim, next_in_ms: nextAfterMs });
}

async function clear({ board }: Parts, item: FoundDue, epoch: number): Promise<void> {
  const { outcome } = await board.clearDue([item], epoch);
  if (outcome === "fenced") throw new Fenced(epoch);
}
