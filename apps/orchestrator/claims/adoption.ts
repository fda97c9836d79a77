// Adopts artefacts that people have written by hand: those that were published at once, the others
// by a slow scan.

import { sleep } from "../../../lib/async/sleep.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import type { Deps } from "../leader/deps.ts";
import type { PublishTracker } from "./publish-tracker.ts";

/**
 * Within this an event catches up with its publication; after it the artefact may be one that was
 * written by hand.
 */
const maxEventDelayMs = 200;

/**
 * The scan goes on in parts, so that it costs the same whatever the number of keys: some
 * milliseconds a second, of this and of Redis.
 */
const keysOfPart = 1_000;
const scanPartEveryMs = 1_000;
const scanEveryMs = 15_000;

const failureMessage = "Could not check an artefact written by hand";

/**
 * The scan for artefacts that were written by hand and not published. An artefact is adopted one
 * rest after the first scan that finds it: its writer may not be ready before. What it lacks in the
 * third scan will not come by itself: the refusal is recorded, for the person who wrote it.
 */
export class AdoptionScan {
  /** Unindexed artefact → how many scans have found it. */
  #scans = new Map<ArtefactId, number>();
  /**
   * Why each of these was refused, as the service's log has it: an incomplete artefact is checked
   * again in every scan.
   */
  #logged = new Map<ArtefactId, string>();
  #isUnderWay = false;

  /** Milliseconds after which to go on. */
  async runOnce(deps: Deps): Promise<number> {
    if (!this.#isUnderWay) await this.#adoptWhere(deps, (scans) => scans === 1, false);
    this.#isUnderWay = true;
    const found = await deps.board.findUnindexedArtefacts(keysOfPart);
    if (found === undefined) return scanPartEveryMs;
    this.#isUnderWay = false;
    this.#scans = new Map(found.map((id) => [id, (this.#scans.get(id) ?? 0) + 1]));
    for (const id of this.#logged.keys()) if (!this.#scans.has(id)) this.#logged.delete(id);
    await this.#adoptWhere(deps, (scans) => scans > 2, true);
    return scanEveryMs;
  }

  async #adoptWhere(
    deps: Deps,
    isMeant: (scans: number) => boolean,
    isOverdue: boolean,
  ): Promise<void> {
    for (const [id, scans] of this.#scans) {
      // An artefact that cannot be checked must not stop the others.
      if (isMeant(scans))
        await adopt(deps, id, { isOverdue, logged: this.#logged }).catch((error: unknown) =>
          deps.log.warn(failureMessage, { artefact_id: id, error }),
        );
    }
  }
}
/**
 * Notes every publication on `artefact_events`, and calls `onNoted` after some. Runs until the
 * signal aborts.
 */
export async function trackPublications(
  { board, clock }: Deps,
  tracker: PublishTracker,
  onNoted: () => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const ids of board.artefactHints(signal)) {
    const nowMs = clock.passedMs();
    for (const id of ids) tracker.notePublication(id, nowMs);
    onNoted();
  }
}

/**
 * Checks the artefacts that were published by hand: adopts new ones, and notices those that were
 * written over. Sett's own functions publish too, and their events may still be under way:
 * `hasFollowed` says whether the log has been followed past an event.
 */
export async function adoptPublications(
  deps: Deps,
  tracker: PublishTracker,
  hasFollowed: (event: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { board, clock, log } = deps;
  const suspects = tracker.unexplained(clock.passedMs() - maxEventDelayMs);
  if (suspects.length === 0) return;
  const end = await board.endOfEvents();
  while (!signal.aborted && !hasFollowed(end)) await sleep(100, signal);
  if (signal.aborted) return;
  const byHand = suspects.filter((id) => tracker.forgetUnexplained(id));
  await Promise.all(
    byHand.map((id) =>
      adopt(deps, id as ArtefactId).catch((error: unknown) =>
        log.warn(failureMessage, { artefact_id: id, error }),
      ),
    ),
  );
}

type ScanState = { isOverdue: boolean; logged: Map<ArtefactId, string> };

async function adopt({ board, log }: Deps, id: ArtefactId, scan?: ScanState): Promise<void> {
  const result = await board.adoptArtefact(id, scan && { isOverdue: scan.isOverdue });
  if (result.outcome === "adopted")
    log.info("Adopted an artefact written by hand", { artefact_id: id });
  if (result.outcome !== "refused" || scan?.logged.get(id) === result.reason) return;
  scan?.logged.set(id, result.reason);
  log.warn("Refused an artefact written by hand", { artefact_id: id, reason: result.reason });
}
