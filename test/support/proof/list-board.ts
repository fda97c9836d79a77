// Redis, as the notary sees it, as a list: places can be chosen, and what it knows be lost.
import type { FormerProof, RawEvent, SealedSize } from "../../../lib/blackboard/port/proof.ts";
import { isLater } from "../../../lib/model/stream-id.ts";

/** All that is in it is old. `goal`: what its events are about. */
export class ListBoard {
  readonly #goal: string;
  events: RawEvent[] = [];
  noted: SealedSize | undefined;
  holder = "";

  constructor(goal: string) {
    this.#goal = goal;
  }

  time = async () => Number.MAX_SAFE_INTEGER;
  contactProblem = () => undefined;
  noteAnchored = async () => {};
  former: FormerProof | undefined;
  readFormerProof = async () => this.former;

  async readRawEvents(from: string, count: number): Promise<RawEvent[]> {
    return this.events.filter(({ place }) => isLater(place, from)).slice(0, count);
  }

  async takeProof(holder: string): Promise<SealedSize | undefined> {
    this.holder = holder;
    return this.noted;
  }

  async noteCheckpoint({ holder, before, sealed }: Parameters<Note>[0]): ReturnType<Note> {
    if (holder !== this.holder) return { outcome: "fenced" };
    if ((this.noted?.size ?? 0) !== before) return { outcome: "moved" };
    this.noted = sealed;
    return { outcome: "noted" };
  }

  add(place: string, { type = "bid_placed", claim = "" } = {}): void {
    const event = JSON.stringify({ actor: "hand", goal_id: this.#goal, claim_id: claim });
    this.events.push({ place, type, event });
  }
}
type Note = (order: {
  holder: string;
  before: number;
  sealed: SealedSize;
}) => Promise<{ outcome: "noted" | "moved" | "fenced" }>;
