// Which claims are open, and whom they concern, on the memory blackboard: it looks at all of them,
// so that no index can be wrong.
import { missingBidders } from "../../model/claim.ts";
import type { AgentName, ClaimId } from "../../model/ids.ts";
import type { ClaimBoard } from "../port/blackboard.ts";
import type { ClaimRecord, State } from "./state.ts";

type Lists = Pick<
  ClaimBoard,
  "listOpenClaims" | "countOpenClaims" | "listOpenClaimsOfGoal" | "listClaimsOf"
>;

export function claimListsOf(state: State): Lists {
  return {
    async listOpenClaims({ from, count } = { from: 0, count: Number.POSITIVE_INFINITY }) {
      return [...state.openClaims].slice(from, from + count);
    },

    countOpenClaims: async () => state.openClaims.size,

    async listOpenClaimsOfGoal(goal) {
      const artefacts = state.goals.get(goal)?.artefacts ?? [];
      const ofGoal = new Set(
        artefacts.flatMap((id) => [...(state.causes.get(id)?.values() ?? [])]),
      );
      return [...state.openClaims].filter((id) => ofGoal.has(id));
    },

    listClaimsOf: async (agent, concern) => listClaimsOf(state, agent, concern),
  };
}

export function listClaimsOf(state: State, agent: AgentName, concern: "asked" | "work"): ClaimId[] {
  const doesConcern = concern === "asked" ? isAsked : hasWork;
  return [...state.openClaims].filter((id) => {
    const record = state.claims.get(id);
    return record !== undefined && doesConcern(record, agent);
  });
}

function isAsked({ claim }: ClaimRecord, agent: AgentName): boolean {
  return claim.bidding === "open" && missingBidders(claim).includes(agent);
}

function hasWork({ grants }: ClaimRecord, agent: AgentName): boolean {
  const state = grants.get(agent)?.state;
  return state !== undefined && state !== "done" && state !== "cancelled";
}
