// Makes up for what no event told: claims left half-way, and artefacts written by hand.
import type { ArtefactId } from "../../lib/model/ids.ts";
import { pause } from "../../lib/service/pause.ts";
import type { Decider } from "./decide-and-commit.ts";
import type { Parts } from "./parts.ts";

const unlookable = "Could not look at an artefact written by hand";

/** After a start or a reconnect: every open claim is looked at as it stands. Harmless where nothing is to be done. */
export async function reconcileClaims({ board }: Parts, decider: Decider, epoch: number): Promise<void> {
  const claims = await board.listOpenClaims();
  await Promise.all(claims.map((claim) => decider.decide(claim, { kind: "progress" }, epoch)));
}

/** The slow scan for artefacts written by hand without a publish: adopted once two passes have seen them. */
export class HandmadeScan {
  #seenBefore = new Set<ArtefactId>();

  async pass(parts: Parts, epoch: number): Promise<void> {
    const found = await parts.board.findUnindexedArtefacts();
    for (const id of found) {
      if (!this.#seenBefore.has(id)) continue;
      // One that cannot even be looked at must not stand in the way of the others.
      await adopt(parts, id, epoch).catch((error: unknown) => parts.log.warn(unlookable, { artefact_id: id, error }));
    }
    this.#seenBefore = new Set(found);
  }
}

/** How far the log has been followed. `isOwn` is true for the one publication that belongs to an artefact's event. */
export type Followed = { isOwn(artefact: string): boolean; isPast(event: string): boolean };

/**
 * Looks at artefacts that were published by hand: takes in those that are new, and notices those that were written over. Runs until the
 * signal aborts.
 */
export async function adoptPublished(parts: Parts, followed: Followed, epoch: number, signal: AbortSignal): Promise<void> {
  const waiting = new Set<Promise<void>>();
  for await (const hint of parts.board.artefactHints(signal)) {
    if (followed.isOwn(hint)) continue;
    const check = (async () => {
      // Our own scripts publish too, and their event may still be under way: what was logged by now decides.
      await pause(200, signal);
      if (signal.aborted || followed.isOwn(hint)) return;
      const end = await parts.board.endOfEvents();
      while (!signal.aborted && !followed.isPast(end)) await pause(100, signal);
      if (signal.aborted || followed.isOwn(hint)) return;
      await adopt(parts, hint as ArtefactId, epoch);
    })().catch((error: unknown) => parts.log.warn(unlookable, { artefact_id: hint, error }));
    waiting.add(check);
    void check.finally(() => waiting.delete(check));
  }
  await Promise.all(waiting);
}

async function adopt({ board, log }: Parts, id: ArtefactId, epoch: number): Promise<void> {
  const result = await board.adoptArtefact(id, epoch);
  if (result.outcome === "adopted") log.info("Adopted an artefact written by hand", { artefact_id: id });
  if (result.outcome === "refused") log.warn("Refused an artefact written by hand", { artefact_id: id, reason: result.reason });
}
