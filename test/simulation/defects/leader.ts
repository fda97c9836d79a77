// Mistakes about who leads, how far the log is followed, and what is due.

import type { State } from "../../../lib/blackboard/memory/state.ts";
import type { FoundDue } from "../../../lib/blackboard/port/leader.ts";
import { type Defect, meanwhile, type Place } from "../planting.ts";

/** The caller is taken for the leader. */
function unfenced<Result>({ state, nonce }: Place, epoch: number, work: () => Result): Result {
  return meanwhile(state.leader, { epoch, nonce }, work);
}

const without = (kind: FoundDue["kind"], more: Pick<Defect, "needs" | "isRare"> = {}): Defect => ({
  name: `what is due of the kind ${kind} is never found`,
  ...more,
  plant: (planting) =>
    planting.call("listDue", async (original, _place, limit, kinds) =>
      (await original(limit, kinds)).filter((item) => item.kind !== kind),
    ),
});

function keepDue(state: State, work: () => Promise<unknown>) {
  const before = new Map(state.due);
  const result = work();
  for (const [member, entry] of before) state.due.set(member, entry);
  return result;
}

export const leaderDefects: readonly Defect[] = [
  {
    name: "a commit is not fenced",
    plant: (planting) =>
      planting.call("commitClaim", (original, place, commit) =>
        unfenced(place, commit.epoch, () => original(commit)),
      ),
  },
  {
    name: "the opening of a claim is not fenced",
    plant: (planting) =>
      planting.call("openClaim", (original, place, order) =>
        unfenced(place, order.epoch, () => original(order)),
      ),
  },
  {
    name: "asking people is not fenced",
    isRare: true,
    plant: (planting) =>
      planting.call("askPeople", (original, place, order) =>
        unfenced(place, order.epoch, () => original(order)),
      ),
  },
  {
    name: "the end of a goal is not fenced",
    isRare: true,
    plant: (planting) =>
      planting.call("endGoal", (original, place, order) =>
        unfenced(place, order.epoch, () => original(order)),
      ),
  },
  {
    name: "announcing is not fenced",
    isRare: true,
    plant: (planting) =>
      planting.call("announceClaim", (original, place, order) =>
        unfenced(place, order.epoch, () => original(order)),
      ),
  },
  {
    name: "a new leader keeps the epoch",
    plant: (planting) =>
      planting.call("acquireLeaderLease", async (original, { state }, order) => {
        const { epoch } = state.leader;
        const result = await original(order);
        if (result.outcome !== "held" || epoch === 0 || result.epoch === epoch) return result;
        state.leader.epoch = epoch;
        return { ...result, epoch };
      }),
  },
  {
    name: "the lease is given to a newcomer while another holds it",
    plant: (planting) => {
      const known = new Set<string>();
      planting.call("acquireLeaderLease", (original, { state, nonce }, order) => {
        if (!known.has(nonce)) state.leader.expiresAt = 0;
        known.add(nonce);
        return original(order);
      });
    },
  },
  {
    name: "the cursor moves ahead of what was handled",
    isRare: true,
    plant: (planting) =>
      planting.call("moveCursor", (original, { state }, epoch, cursor) =>
        original(epoch, state.events.at(-1)?.id ?? cursor),
      ),
  },
  {
    name: "the cursor never moves",
    plant: (planting) => planting.call("moveCursor", async () => ({ outcome: "moved" as const })),
  },
  {
    name: "what was given up is forgotten",
    needs: "refuse a function",
    plant: (planting) => planting.call("listOwed", async () => ({ count: 0, owed: [] })),
  },
  {
    name: "an event is given up without a record of it",
    needs: "refuse a function",
    plant: (planting) => planting.call("oweEvent", async () => ({ outcome: "owed" as const })),
  },
  without("bids", { isRare: true }),
  without("lease", { needs: "crash", isRare: true }),
  without("attempt"),
  {
    name: "an ended claim keeps its deadlines",
    plant: (planting) =>
      planting.call("commitClaim", (original, { state }, commit) =>
        commit.set.status === "complete" || commit.set.status === "terminated"
          ? (keepDue(state, () => original(commit)) as ReturnType<typeof original>)
          : original(commit),
      ),
  },
];
