// With `proof: { required: true }` nothing new begins while the notary seals nothing: the instance
// is paused, as by a person, and goes on by itself once it is sealed again.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import { isOrchestrator } from "../../../lib/model/actor-kind.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import type { Deps } from "../leader/deps.ts";

/** An event that came so long ago is sealed, or late. */
export const lateAfterMs = 60_000;

type WatchDeps = Pick<Deps, "policy" | "log"> & {
  board: Pick<
    LeaderBlackboard,
    "epoch" | "time" | "endOfEvents" | "readSealedPlace" | "readPause" | "asOf"
  >;
};

/** `sinceMs`: since when no more is sealed than that, though more is there. */
type LastLook = { place: string; sinceMs: number | undefined };

export class SealWatch {
  readonly #deps: WatchDeps;
  #last: LastLook | undefined;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** One look. Throws Fenced. */
  async runOnce(): Promise<void> {
    const { board, policy } = this.#deps;
    if (policy.proof_required === undefined) return;
    const [nowMs, end, place = "0"] = await Promise.all([
      board.time(),
      board.endOfEvents(),
      board.readSealedPlace(),
    ]);
    const last = this.#last;
    const hasMoved = last !== undefined && last.place !== place;
    const before = hasMoved ? undefined : last?.sinceMs;
    const sinceMs = isLater(end, place) ? (before ?? nowMs) : undefined;
    this.#last = { place, sinceMs };
    if (sinceMs === undefined || hasMoved) await this.#goOn();
    else if (nowMs - sinceMs >= lateAfterMs) await this.#stopNewWork();
  }

  async #stopNewWork(): Promise<void> {
    const { board, log } = this.#deps;
    if ((await board.readPause()) !== undefined) return;
    const { outcome } = await this.#set(true);
    if (outcome === "set") log.error("Paused: nothing was sealed for a minute");
  }

  /** A person's pause is the person's to end. */
  async #goOn(): Promise<void> {
    const { board, log } = this.#deps;
    const pause = await board.readPause();
    if (pause === undefined || !isOrchestrator(pause.by)) return;
    const { outcome } = await this.#set(false);
    if (outcome === "set") log.info("Resumed: the log is sealed again");
  }

  async #set(paused: boolean) {
    const { board } = this.#deps;
    return await board.asOf().setPaused({
      ...{ paused, by: `orchestrator:${board.epoch}` },
      at: new Date(await board.time()).toISOString(),
    });
  }
}
