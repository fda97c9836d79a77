// Makes up for what no event told: claims left half-way, and artefacts written by hand.
import { questionOf } from "../../lib/model/claim.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";
import { pause } from "../../lib/service/pause.ts";
import type { Decider } from "./decide-and-commit.ts";
import type { HeardArtefacts } from "./heard-artefacts.ts";
import type { Parts } from "./parts.ts";
import type { QuestionDesk } from "./question-desk.ts";

/** Within this an event catches up with its publication, or the log is looked at. */
const publishedApartMs = 200;

const unlookable = "Could not look at an artefact written by hand";

/** Few enough that what comes in meanwhile is hardly held up. */
const claimsAtOnce = 100;

/** Every open claim is looked at as it stands. Harmless where nothing is to be done. */
export async function reconcileClaims({ board }: Parts, decider: Decider, desk: QuestionDesk, epoch: number): Promise<void> {
  const claims = await board.listOpenClaims();
  for (let from = 0; from < claims.length; from += claimsAtOnce) {
    const some = claims.slice(from, from + claimsAtOnce);
    await Promise.all(some.map((claim) => decider.decide(claim, { kind: "progress" }, epoch)));
    const waiting = (await board.readClaims(some)).flatMap(({ grants }) => grants.map(questionOf));
    for (const question of waiting) if (question !== undefined) await desk.look(question, epoch);
  }
}

/** The more keys there are, the longer a pass takes and the rarer it comes: it may take one part in so many of the time. */
const restFactor = 50;

/**
 * The slow scan for artefacts written by hand without a publish: adopted once two passes have seen them. What one still lacks in the third
 * will not come by itself, and whoever wrote it wants to know.
 */
export class HandmadeScan {
  /** In how many passes before. */
  #seen = new Map<ArtefactId, number>();
  #notBeforeMs = 0;

  async pass(parts: Parts, epoch: number): Promise<void> {
    const beganMs = parts.clock.now().getTime();
    if (beganMs < this.#notBeforeMs) return;
    const found = (await parts.board.findUnindexedArtefacts()).map((id) => [id, this.#seen.get(id) ?? 0] as const);
    for (const [id, times] of found) {
      if (times === 0) continue;
      // One that cannot even be looked at must not stand in the way of the others.
      await adopt(parts, id, epoch, { isOverdue: times > 1 }).catch((error: unknown) =>
        parts.log.warn(unlookable, { artefact_id: id, error }),
      );
    }
    this.#seen = new Map(found.map(([id, times]) => [id, times + 1]));
    const endedMs = parts.clock.now().getTime();
    this.#notBeforeMs = endedMs + restFactor * (endedMs - beganMs);
  }
}

/** Notes what is published on `artefact_events`, by whomever. Runs until the signal aborts. */
export async function hearPublished({ board, clock }: Parts, heard: HeardArtefacts, signal: AbortSignal): Promise<void> {
  for await (const ids of board.artefactHints(signal)) {
    const nowMs = clock.now().getTime();
    for (const id of ids) heard.published(id, nowMs);
  }
}

/**
 * Looks at artefacts that were published by hand: takes in those that are new, and notices those that were written over. Our own scripts
 * publish too, and their events may still be under way: `hasFollowed` tells whether the log has been followed past an event.
 */
export async function adoptPublished(
  parts: Parts,
  heard: HeardArtefacts,
  hasFollowed: (event: string) => boolean,
  epoch: number,
  signal: AbortSignal,
): Promise<void> {
  const { board, clock, log } = parts;
  const suspects = heard.unexplained(clock.now().getTime() - publishedApartMs);
  if (suspects.length === 0) return;
  const end = await board.endOfEvents();
  while (!signal.aborted && !hasFollowed(end)) await pause(100, signal);
  if (signal.aborted) return;
  const byHand = suspects.filter((id) => heard.takeUnexplained(id));
  await Promise.all(
    byHand.map((id) =>
      adopt(parts, id as ArtefactId, epoch).catch((error: unknown) => log.warn(unlookable, { artefact_id: id, error })),
    ),
  );
}

async function adopt({ board, log }: Parts, id: ArtefactId, epoch: number, options?: { isOverdue: boolean }): Promise<void> {
  const result = await board.adoptArtefact(id, epoch, options);
  if (result.outcome === "adopted") log.info("Adopted an artefact written by hand", { artefact_id: id });
  if (result.outcome === "refused") log.warn("Refused an artefact written by hand", { artefact_id: id, reason: result.reason });
}
