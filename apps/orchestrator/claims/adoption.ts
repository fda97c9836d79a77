// Adopts artefacts that the instance's owner has written and published, and notices those that were
// written over.

import { sleep } from "../../../lib/async/sleep.ts";
import { ArtefactId } from "../../../lib/model/ids.ts";
import { isAway } from "../../../lib/service/until-contact.ts";
import type { Deps } from "../leader/deps.ts";
import type { PublishTracker } from "./publish-tracker.ts";

/** Within this an event catches up with its publication; after it, the owner may have published. */
const maxEventDelayMs = 200;

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
 * Adopts what was published by hand, in the order of the publications. Sett's own functions publish
 * too, and their events may still be under way: `hasFollowed` says whether the log has been
 * followed past an event. Rejects where one of them is to be looked at again.
 */
export async function adoptPublications(
  deps: Deps,
  tracker: PublishTracker,
  hasFollowed: (event: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { board, clock } = deps;
  const suspects = tracker.unexplained(clock.passedMs() - maxEventDelayMs);
  if (suspects.length === 0) return;
  const end = await board.endOfEvents();
  while (!signal.aborted && !hasFollowed(end)) await sleep(100, signal);
  let failed: { error: unknown } | undefined;
  for (const id of suspects) {
    if (signal.aborted) return;
    if (!tracker.forgetUnexplained(id)) continue;
    const error = await adopt(deps, id);
    if (error === undefined) continue;
    const comesAgain = tracker.lookAgain(id, clock.passedMs(), isAway(error));
    if (comesAgain) failed ??= { error };
  }
  if (failed !== undefined) throw failed.error;
}

/**
 * What was published may be any text. One that cannot be checked must not stop the others: resolves
 * with the error.
 */
async function adopt({ board, log }: Deps, text: string): Promise<unknown> {
  const id = ArtefactId.safeParse(text).data;
  if (id === undefined) return undefined;
  const about = { artefact_id: id };
  try {
    const result = await board.adoptArtefact(id);
    if (result.outcome === "adopted") log.info("Adopted a published artefact", about);
    if (result.outcome === "refused")
      log.warn("Refused a published artefact", { ...about, reason: result.reason });
    return undefined;
  } catch (error) {
    log.warn("Could not check a published artefact", { ...about, error });
    return error;
  }
}
