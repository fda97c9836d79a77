// Handles what is due by Redis TIME: bid deadlines, lapsed leases, attempts to be queued, claims to
// announce again.
import type { FoundDue } from "../../../lib/blackboard/port/leader.ts";
import { type BoardAsOf, Fenced } from "../../../lib/blackboard/port/leading.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { Policy } from "../../../lib/model/policy.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { isAway } from "../../../lib/service/until-contact.ts";
import type { ClaimAnnouncer } from "../claims/claim-announcer.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import type { Deps } from "../leader/deps.ts";
import type { ContactClock } from "./contact-clock.ts";

/** So many of each kind are read. */
const maxAtOnce = 500;
/**
 * An item that cannot be handled (its claim's record is broken) is tried again after this, and
 * stops no other meanwhile.
 */
const deferMs = 30_000;

/**
 * These fail an agent for the time that has passed: they count only after so much unbroken
 * contact.
 */
const contactKinds: readonly FoundDue["kind"][] = ["bids", "lease"];
const otherKinds: readonly FoundDue["kind"][] = ["announce", "attempt", "unreadable"];

type DueHandlers = { decider: Decider; announcer: ClaimAnnouncer };

/** Handles all that is due now. */
export async function handleDue(
  deps: Deps,
  handlers: DueHandlers,
  contact: ContactClock,
  contactMs: number,
): Promise<void> {
  const { log } = deps;
  const board = deps.board.asOf();
  const kinds = contact.hasLasted(contactMs) ? [...otherKinds, ...contactKinds] : otherKinds;
  // The time is asked for after the list, so that a change of the clock before the list is noticed
  // before the list is used.
  const [due, redisMs] = await Promise.all([board.listDue(maxAtOnce, kinds), board.time()]);
  const setByMs = contact.tick(redisMs);
  if (setByMs !== 0)
    log.warn("The clock of Redis was changed; deadlines and leases wait for lasting contact", {
      by_ms: Math.round(setByMs),
    });
  const mayJudge = contact.hasLasted(contactMs);
  const trusted = due.filter(({ kind }) => mayJudge || !contactKinds.includes(kind));
  await Promise.all(trusted.map((item) => handleOrDefer(deps, handlers, item, board)));
}

/** An item that fails is deferred, and stops no other. */
async function handleOrDefer(
  deps: Deps,
  handlers: DueHandlers,
  item: FoundDue,
  board: BoardAsOf,
): Promise<void> {
  try {
    await handle(deps, handlers, item, board);
  } catch (error) {
    if (error instanceof Fenced || isAway(error)) throw error;
    deps.log.error("Could not handle a deadline; trying again later", {
      due: item,
      error,
      again_in_ms: deferMs,
    });
    await board.deferDue([item], deferMs);
  }
}

async function handle(
  deps: Deps,
  { decider, announcer }: DueHandlers,
  item: FoundDue,
  board: BoardAsOf,
): Promise<void> {
  switch (item.kind) {
    case "announce":
      return announcer.tick(item.claim);
    case "bids":
      await decider.decide(item.claim, { kind: "bid_deadline" }, board);
      return clear(item, board);
    case "lease":
      await decider.decide(
        item.claim,
        {
          kind: deps.isInCluster === true ? "pod_silent" : "lease_lapsed",
          ...{ agent: item.agent, attempt: item.attempt },
        },
        board,
      );
      return clear(item, board);
    case "attempt":
      await decider.decide(
        item.claim,
        { kind: "attempt_due", agent: item.agent, attempt: item.attempt },
        board,
      );
      return clear(item, board);
    case "unreadable":
      deps.log.warn("Removed a deadline that cannot be read", { member: item.member });
      return clear(item, board);
    default:
      unreachable(item);
  }
}

async function clear(item: FoundDue, board: BoardAsOf): Promise<void> {
  // The decision may be lost with the connection that it was made on, and then the item is due as
  // before.
  if (board.isCurrent()) await board.clearDue([item]);
}

/**
 * Milliseconds until what the orchestrator has set with this event is due; for ever where it has
 * set nothing.
 */
export function dueAfter({ type, data }: SettEvent, { bid_deadline_ms }: Policy): number {
  if (type === "claim_opened") return bid_deadline_ms;
  return type === "grant_retrying" ? Number(data?.after_ms) : Number.POSITIVE_INFINITY;
}
