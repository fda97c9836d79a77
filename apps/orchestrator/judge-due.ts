// Deals with what has fallen due by Redis TIME: bid deadlines, lapsed leases, claims to announce again.
import type { FoundDue } from "../../lib/blackboard/leader-port.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import type { AskAgain } from "./ask-again.ts";
import type { Contact } from "./contact-clock.ts";
import type { Decider } from "./decide-and-commit.ts";
import { type Deps, Fenced } from "./deps.ts";

/** Of each kind. */
const maxAtOnce = 500;
/** One that cannot be dealt with (its claim is broken) is tried again after this, and is in nobody's way meanwhile. */
const againAfterMs = 30_000;

/** Against whom time may have worked unseen: they are judged only after a grant's whole lease of unbroken contact. */
const judged: readonly FoundDue["kind"][] = ["bids", "lease"];
const others: readonly FoundDue["kind"][] = ["announce", "attempt", "unreadable"];

type DueRooms = { decider: Decider; asking: AskAgain };

/** One look at what is due. */
export async function judgeDue(
  deps: Deps,
  rooms: DueRooms,
  contact: Contact,
  grantLeaseMs: number,
  epoch: number,
): Promise<void> {
  const { board, log } = deps;
  const kinds = contact.hasLasted(grantLeaseMs) ? [...others, ...judged] : others;
  const due = await board.listDue(maxAtOnce, kinds);
  // Asked afterwards: a clock that was set before the list was made is noticed before it is believed.
  const setByMs = contact.turn(await board.time());
  if (setByMs !== 0)
    log.warn("Redis' clock was set: deadlines and leases are judged after a while", { by_ms: Math.round(setByMs) });
  const mayJudge = contact.hasLasted(grantLeaseMs);
  const trusted = due.filter(({ kind }) => mayJudge || !judged.includes(kind));
  await Promise.all(trusted.map((item) => judgeByItself(deps, rooms, item, epoch)));
}

/** One that fails holds up no other. */
async function judgeByItself(deps: Deps, rooms: DueRooms, item: FoundDue, epoch: number): Promise<void> {
  try {
    await judge(deps, rooms, item, epoch);
  } catch (error) {
    if (error instanceof Fenced || isAway(error)) throw error;
    deps.log.error("Could not deal with what is due; trying again later", { due: item, error, again_in_ms: againAfterMs });
    const { outcome } = await deps.board.deferDue([item], againAfterMs, epoch);
    if (outcome === "fenced") throw new Fenced(epoch);
  }
}

async function judge(deps: Deps, { decider, asking }: DueRooms, item: FoundDue, epoch: number): Promise<void> {
  switch (item.kind) {
    case "announce":
      return asking.look(item.claim, epoch);
    case "bids":
      await decider.decide(item.claim, { kind: "bid_deadline" }, epoch);
      return clear(deps, item, epoch);
    case "lease":
      await decider.decide(item.claim, { kind: "lease_lapsed", agent: item.agent, attempt: item.attempt }, epoch);
      return clear(deps, item, epoch);
    case "attempt":
      await decider.decide(item.claim, { kind: "attempt_due", agent: item.agent, attempt: item.attempt }, epoch);
      return clear(deps, item, epoch);
    case "unreadable":
      deps.log.warn("Took out of what is due what cannot be read", { member: item.member });
      return clear(deps, item, epoch);
    default:
      unreachable(item);
  }
}

async function clear({ board }: Deps, item: FoundDue, epoch: number): Promise<void> {
  const { outcome } = await board.clearDue([item], epoch);
  if (outcome === "fenced") throw new Fenced(epoch);
}
