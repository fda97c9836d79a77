// Finds what an instance had before this `sett up`, and has not any more: people remove volumes
// while it is down (`docker system prune --volumes`).
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import type { KeptRef } from "../../../../lib/git/repository/kept-refs.ts";
import { bodiesOnRecord } from "../../facts/kept-bodies.ts";
import type { Diff } from "../plan/diff.ts";

/** The facts that are known without the blackboard. */
export type KnownBefore = {
  /**
   * Whether `.git/config` says that the instance was up, and nothing of a `sett up` that was killed
   * is there.
   */
  isKnown: boolean;
  /** How many events the log had ever had, as it was noted last. */
  events: number | undefined;
  refs: () => Promise<KeptRef[]>;
  hasRecord: boolean;
  /** How long bodies of calls are kept; undefined: for ever. */
  transcriptsKeptMs: number | undefined;
};

/**
 * `events`: how many the log once had, and how many it has had now: a part of it is gone.
 * `blackboard`: what git still has, where the blackboard is empty although the repository knows the
 * instance.
 */
export type Lost = {
  blackboard: KeptRef[] | undefined;
  events: { before: number; now: number } | undefined;
  hasLostBodies: boolean;
};

/** Call this before anything is written to the blackboard, and before the gateway starts. */
export async function findLost(
  board: PersonBlackboard,
  { isKnown, events: known = 0, refs, hasRecord, transcriptsKeptMs: keptMs }: KnownBefore,
  { services }: Pick<Diff, "services">,
): Promise<Lost> {
  if ((await board.endOfEvents()) === "0") {
    const left = await refs();
    const wasThere = isKnown || known > 0 || left.length > 0;
    return { blackboard: wasThere ? left : undefined, events: undefined, hasLostBodies: false };
  }
  const { logged } = await board.countLostEvents();
  // An instance without a gateway has no calls, so that its goals need not be asked for them.
  const hasGateway = services.some(({ planned }) => planned.service.name === "gateway");
  const isNewRecord = hasGateway && !hasRecord && (await board.readGateway()) !== undefined;
  const bodies = isNewRecord
    ? await bodiesOnRecord(board, { most: 1, keptMs, nowMs: Date.now() })
    : [];
  return {
    blackboard: undefined,
    events: logged < known ? { before: known, now: logged } : undefined,
    hasLostBodies: bodies.length > 0,
  };
}
