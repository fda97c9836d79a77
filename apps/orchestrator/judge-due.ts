// Deals with what has fallen due by Redis TIME: bid deadlines, lapsed leases, claims to announce again.
import type { DueItem } from "../../lib/blackboard/seat-port.ts";
import type { ClaimId } from "../../lib/model/ids.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import type { Contact } from "./contact.ts";
import type { Decider } from "./decide-and-commit.ts";
import { Fenced, type Parts } from "./parts.ts";

/** Announcements of a claim that lacks bids come at these intervals, at the latest. */
const longestSilenceMs = 10_000;
const mostAtOnce = 500;

/** One look at what is due. Deadlines and leases are judged only after a grant's whole lease of unbroken contact. */
export async function judgeDue(
  parts: Parts,
  decider: Decider,
  contact: Contact,
  grantLeaseMs: number,
  epoch: number,
): Promise<void> {
  const due = await parts.board.listDue(mostAtOnce);
  const mayJudge = contact.hasLasted(grantLeaseMs);
  await Promise.all(due.map((item) => judge(parts, decider, mayJudge, item, epoch)));
}

async function judge(parts: Parts, decider: Decider, mayJudge: boolean, item: DueItem, epoch: number): Promise<void> {
  switch (item.kind) {
    case "announce":
      return askAgain(parts, decider, item, epoch);
    case "bids":
      if (!mayJudge) return;
      await decider.decide(item.claim, { kind: "bid_deadline" }, epoch);
      return clear(parts, item, epoch);
    case "lease":
      if (!mayJudge) return;
      await decider.decide(item.claim, { kind: "lease_lapsed", agent: item.agent, attempt: item.attempt }, epoch);
      return clear(parts, item, epoch);
    case "attempt":
      await decider.decide(item.claim, { kind: "attempt_due", agent: item.agent, attempt: item.attempt }, epoch);
      return clear(parts, item, epoch);
    default:
      unreachable(item);
  }
}

/** A claim that lacks bids: those that people have written into its hash with plain `HSET` are taken in, then it is announced again. */
async function askAgain(
  parts: Parts,
  decider: Decider,
  item: { kind: "announce"; claim: ClaimId },
  epoch: number,
): Promise<void> {
  const { board, clock, log } = parts;
  const adopted = await board.adoptBids(item.claim, epoch);
  if (adopted.outcome === "fenced") throw new Fenced(epoch);
  if (adopted.count > 0) await decider.decide(item.claim, { kind: "progress" }, epoch);
  const snapshot = await board.readClaim(item.claim);
  if (snapshot === undefined) return;
  // The silence grows with the claim's age: a restarted cub is told soon, a claim that waits for days costs nothing.
  const ageMs = clock.now().getTime() - Date.parse(snapshot.claim.created_at);
  const nextAfterMs = Math.min(longestSilenceMs, Math.max(2_000, ageMs));
  const { outcome } = await board.announceClaim({ claim: item.claim, epoch, nextAfterMs });
  if (outcome === "fenced") throw new Fenced(epoch);
  if (outcome === "announced") log.info("Announced claim again", { claim_id: item.claim, next_in_ms: nextAfterMs });
}

async function clear({ board }: Parts, item: DueItem, epoch: number): Promise<void> {
  const { outcome } = await board.clearDue([item], epoch);
  if (outcome === "fenced") throw new Fenced(epoch);
}
