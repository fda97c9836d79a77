// Mistakes of commits, claims and bids.
import { Decider } from "../../../apps/orchestrator/decide/decide-and-commit.ts";
import { State } from "../../../lib/blackboard/memory/state.ts";
import type { ClaimCommit } from "../../../lib/blackboard/port/blackboard.ts";
import type { ClaimEvent } from "../../../lib/core/claim-decision.ts";
import type { Grant } from "../../../lib/model/claim.ts";
import type { EventType } from "../../../lib/model/event.ts";
import { newArtefactId } from "../../support/records/sample.ts";
import { type Defect, meanwhile } from "../planting.ts";

/** A commit that is not what was decided. */
const otherwise = (
  name: string,
  change: (commit: ClaimCommit) => Partial<ClaimCommit>,
): Defect => ({
  name,
  plant: (planting) =>
    planting.call("commitClaim", (original, _place, commit) =>
      original({ ...commit, ...change(commit) }),
    ),
});

const withoutEvent = (type: EventType): Defect =>
  otherwise(`a commit has no event ${type}`, ({ events }) => ({
    events: events.filter((event) => event.type !== type),
  }));

const queuedOnes = (
  grants: readonly Grant[],
  change: (grant: Extract<Grant, { state: "queued" }>) => Grant,
): Grant[] => grants.map((grant) => (grant.state === "queued" ? change(grant) : grant));

const ignoring = (kind: ClaimEvent["kind"]): Defect => ({
  name: `nothing is decided for ${kind}`,
  plant: (planting) =>
    planting.method(Decider.prototype, "decide", async (original, _decider, claim, event, basis) =>
      event.kind === kind ? false : original(claim, event, basis),
    ),
});

export const decisionDefects: readonly Defect[] = [
  {
    name: "a commit does not look at the rev",
    plant: (planting) =>
      planting.call("commitClaim", (original, { state }, commit) =>
        original({
          ...commit,
          expectedRev: state.claims.get(commit.claim)?.claim.rev ?? commit.expectedRev,
        }),
      ),
  },
  withoutEvent("bidding_closed"),
  withoutEvent("grant_queued"),
  withoutEvent("claim_completed"),
  withoutEvent("question_closed"),
  otherwise("a retry is logged and not written", ({ grants }) => ({
    grants: grants.filter(({ state, attempt }) => state !== "queued" || attempt === 1),
  })),
  otherwise("attempts are counted twice", ({ grants }) => ({
    grants: queuedOnes(grants, (grant) =>
      grant.attempt === 1 ? grant : { ...grant, attempt: grant.attempt + 1 },
    ),
  })),
  otherwise("retries are not counted", ({ grants }) => ({
    grants: queuedOnes(grants, ({ retries: _, ...grant }) => grant),
  })),
  otherwise("an attempt that goes on has forgotten the dialogue", ({ grants }) => ({
    grants: queuedOnes(grants, ({ dialogue: _, ...grant }) => grant),
  })),
  otherwise("a Failure is posted twice", ({ artefacts }) => ({
    artefacts: artefacts.flatMap((artefact) => {
      const id = newArtefactId();
      return [
        artefact,
        { ...artefact, id, logical_id: id as unknown as typeof artefact.logical_id },
      ];
    }),
  })),
  otherwise("an attempt to come is not set due", ({ due }) => ({
    due: { ...due, set: due.set.filter(({ item }) => item.kind !== "attempt") },
  })),
  otherwise("a rework is not opened", () => ({ claims: [] })),
  ignoring("goal_ended"),
  ignoring("answered"),
  {
    name: "one cause opens two claims",
    plant: (planting) =>
      planting.call("openClaim", (original, { state }, order) => {
        state.causes.get(order.open.claim.artefact_id)?.delete(order.open.cause);
        return original(order);
      }),
  },
  {
    name: "a claim is opened for a goal that has ended",
    needs: "cancel",
    isRare: true,
    plant: (planting) =>
      planting.call("openClaim", (original, { state }, order) =>
        meanwhile(state, { isGoalEnded: () => false }, () => original(order)),
      ),
  },
  {
    name: "an ended claim stays among the open ones",
    plant: (planting) =>
      planting.call("commitClaim", async (original, { state }, commit) => {
        const wasOpen = state.openClaims.has(commit.claim);
        const result = await original(commit);
        if (wasOpen) state.openClaims.add(commit.claim);
        return result;
      }),
  },
  {
    name: "a bid that comes twice is recorded twice",
    plant: (planting) =>
      planting.call("placeBid", async (original, { state }, bid) => {
        const claim = state.claims.get(bid.claim)?.claim;
        if (claim === undefined) return original(bid);
        const { bids } = claim;
        claim.bids = bids.filter(({ agent }) => agent !== bid.agent);
        const result = original(bid);
        claim.bids = [
          ...bids,
          ...claim.bids.slice(bids.filter(({ agent }) => agent !== bid.agent).length),
        ];
        return result;
      }),
  },
  {
    name: "bids of agents that were not asked are taken",
    needs: "up without an agent",
    isRare: true,
    plant: (planting) =>
      planting.call("placeBid", (original, { state }, bid) => {
        const claim = state.claims.get(bid.claim)?.claim;
        if (claim === undefined) return original(bid);
        return meanwhile(
          claim,
          { electorate: [...new Set([...claim.electorate, bid.agent])] },
          () => original(bid),
        );
      }),
  },
  {
    name: "missing bids are counted wrong",
    plant: (planting) =>
      planting.method(State.prototype, "log", (original, _state, { data, ...draft }, actor) => {
        const isBid =
          (draft.type === "bid_placed" || draft.type === "bids_placed") && data !== undefined;
        return original(
          {
            ...draft,
            ...(data && { data: isBid ? { ...data, missing: Number(data.missing) + 1 } : data }),
          },
          actor,
        );
      }),
  },
  {
    name: "announcements are lost for ever",
    plant: (planting) => planting.method(State.prototype, "announce", () => {}),
  },
];
