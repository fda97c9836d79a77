// Finds what an instance had before this `sett up`, and has not any more: people remove volumes
// while it is down (`docker system prune --volumes`).
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import type { KeptRef } from "../../../../lib/git/repository/kept-refs.ts";
import { bodiesOnRecord } from "../../facts/kept-bodies.ts";
import { type LostEvents, lostSince, type NotedLog } from "../../facts/noted-log.ts";
import type { Diff } from "../plan/diff.ts";

/** The facts that are known without the blackboard. */
export type KnownBefore = {
  /**
   * Whether `.git/config` says that the instance was up, and nothing of a `sett up` that was killed
   * is there.
   */
  isKnown: boolean;
  /** The log as it was noted last. */
  noted: NotedLog | undefined;
  refs: () => Promise<KeptRef[]>;
  hasRecord: boolean;
  /** How long bodies of calls are kept; undefined: for ever. */
  transcriptsKeptMs: number | undefined;
};

/**
 * `events`: a part of the log is gone. `blackboard`: what git still has, where the blackboard is
 * empty although the repository knows the instance.
 */
export type Lost = {
  blackboard: KeptRef[] | undefined;
  events: LostEvents | undefined;
  hasLostBodies: boolean;
};

/** Call this before anything is written to the blackboard, and before the gateway starts. */
export async function findLost(
  board: PersonBlackboard,
  { isKnown, noted, refs, hasRecord, transcriptsKeptMs: keptMs }: KnownBefore,
  { services }: Pick<Diff, "services">,
): Promise<Lost> {
  if ((await board.endOfEvents()) === "0") {
    const left = await refs();
    const wasThere = isKnown || (noted?.logged ?? 0) > 0 || left.length > 0;
    return { blackboard: wasThere ? left : undefined, events: undefined, hasLostBodies: false };
  }
  // An instance without a gateway has no calls, so that its goals need not be asked for them.
  const hasGateway = services.some(({ planned }) => planned.service.name === "gateway");
  const isNewRecord = hasGateway && !hasRecord && (await board.readGateway()) !== undefined;
  const bodies = isNewRecord
    ? await bodiesOnRecord(board, { most: 1, keptMs, nowMs: Date.now() })
    : [];
  return {
    blackboard: undefined,
    events: await lostSince(board, noted),
    hasLostBodies: bodies.length > 0,
  };
}
