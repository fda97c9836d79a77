// A clan on a blackboard in memory, with agents that the test plays.

import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import { isEnded } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { Policy } from "../../../lib/model/policy.ts";
import { waitFor } from "../wait-for.ts";
import { Clan } from "./clan.ts";
import { placeInMemory } from "./place.ts";
import type { Behaviour } from "./played-agent.ts";

export async function memoryClan(policy: Partial<Policy> = {}): Promise<MemoryClan> {
  const place = placeInMemory();
  return new MemoryClan(place, await place.open(), { policy, contactMs: 0 });
}

class MemoryClan extends Clan {
  readonly hand: ReturnType<typeof placeInMemory>["memory"]["hand"];

  constructor(
    place: ReturnType<typeof placeInMemory>,
    ...rest: [ConstructorParameters<typeof Clan>[1], ConstructorParameters<typeof Clan>[2]]
  ) {
    super(place, ...rest);
    this.hand = place.memory.hand;
  }

  /** The claim on an artefact, once it has ended. */
  ended(artefact: Pick<Artefact, "id">): Promise<ClaimSnapshot> {
    return waitFor("the claim to end", async () => {
      const snapshot = await this.claimOn(artefact);
      return isEnded(snapshot.claim.status) && snapshot;
    });
  }

  events(): Promise<SettEvent[]> {
    return this.board.readEvents("0", 10_000);
  }
}

/** Wants goals, and ends each with its first result. */
export const worker: Behaviour = {
  bid: (artefact) => (artefact.type === "GoalDefined" ? "exclusive" : "ignore"),
  work: () => ({ structural_type: "Terminal" }),
};
