// Finds what an instance had before this `sett up`, and has not any more: people remove volumes
// while it is down (`docker system prune --volumes`).
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import type { KeptRef } from "../../../../lib/git/repository/kept-refs.ts";
import { type LostEvents, lostSince, type NotedLog } from "../../facts/noted-log.ts";
import { bodiesOnRecord, hasOutputsOnRecord } from "../../facts/on-record.ts";

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
  /** The address of the blackboard that sett.yml named before, if it named another one. */
  keptIn: string | undefined;
  /** How long bodies of calls are kept; undefined: for ever. */
  transcriptsKeptMs: number | undefined;
};

/**
 * `keptIn`: where the blackboard before an empty one still is. `events`: a part of the log is gone.
 * `blackboard`: what git still has, where the blackboard is empty although the repository knows the
 * instance. The last two: of the record's volume.
 */
export type Lost = {
  blackboard: KeptRef[] | undefined;
  keptIn?: string | undefined;
  events: LostEvents | undefined;
  hasLostBodies: boolean;
  hasLostOutputs: boolean;
};

const noRecordLost = { hasLostBodies: false, hasLostOutputs: false };

/**
 * Call this before anything is written to the blackboard, and before the gateway starts. `parts`:
 * the services that the instance is to have.
 */
export async function findLost(
  board: PersonBlackboard,
  known: KnownBefore,
  parts: readonly string[],
): Promise<Lost> {
  const { isKnown, noted, refs, hasRecord, keptIn } = known;
  if ((await board.endOfEvents()) === "0") {
    if (keptIn !== undefined)
      return { blackboard: undefined, keptIn, events: undefined, ...noRecordLost };
    const left = await refs();
    const wasThere = isKnown || (noted?.logged ?? 0) > 0 || left.length > 0;
    return { blackboard: wasThere ? left : undefined, events: undefined, ...noRecordLost };
  }
  return {
    blackboard: undefined,
    events: await lostSince(board, noted),
    ...(hasRecord ? noRecordLost : await lostWithRecord(board, known, parts)),
  };
}

/** The blackboard is asked only for what a part of the instance keeps. */
async function lostWithRecord(
  board: PersonBlackboard,
  { transcriptsKeptMs: keptMs }: KnownBefore,
  parts: readonly string[],
): Promise<Pick<Lost, "hasLostBodies" | "hasLostOutputs">> {
  const bodies =
    parts.includes("gateway") && (await board.readGateway()) !== undefined
      ? await bodiesOnRecord(board, { most: 1, keptMs, nowMs: Date.now() })
      : [];
  return {
    hasLostBodies: bodies.length > 0,
    hasLostOutputs: parts.includes("recorder") && (await hasOutputsOnRecord(board)),
  };
}
