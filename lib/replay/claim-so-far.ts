// A claim as the log has shown it so far, from its opening.

import type { DecisionInput } from "../core/claim-decision.ts";
import { assignedClaim, biddingClaim } from "../core/new-claim.ts";
import { unfinishedOf } from "../core/pieces.ts";
import { causeOfRetry, retryClaim } from "../core/retry-claim.ts";
import type { Verdict } from "../core/review-verdict.ts";
import { electorateOf } from "../core/standing-bids.ts";
import type { RegisteredAgent } from "../model/agent.ts";
import type { StructuralType } from "../model/artefact.ts";
import type { Claim, ClaimSnapshot, StandIn } from "../model/claim.ts";
import type { SettEvent } from "../model/event.ts";
import type { Basis } from "../model/fact.ts";
import type { AgentName, ArtefactId, ClaimId } from "../model/ids.ts";

/** The log says so much of an artefact. `claim`: the one that it is a result of. */
export type KnownArtefact = {
  id: ArtefactId;
  structural: string;
  type: string;
  version: number;
  role: string;
  agent: string;
  goal: string;
  claim: ClaimId | undefined;
  /** The one of its event. */
  actor: string;
  /** The list of pieces that it is of. */
  list: string | undefined;
  /** True of a list of pieces. */
  hasPieces: boolean;
  /** The claims about it, in the order in which they were opened. */
  claims: ClaimSoFar[];
};

export type ClaimSoFar = {
  snapshot: ClaimSnapshot;
  cause: string;
  reviews: Verdict[];
  /** Undefined until an event names them. */
  basis: Basis | undefined;
  /** The number that the last event of the claim says. */
  rev: number;
};

export function knownArtefact({
  artefact_id,
  goal_id,
  claim_id,
  actor,
  data = {},
}: SettEvent): KnownArtefact {
  return {
    id: artefact_id as ArtefactId,
    structural: String(data.structural_type),
    type: String(data.type),
    version: Number(data.version),
    role: String(data.role),
    agent: String(data.agent ?? ""),
    goal: String(goal_id),
    claim: claim_id,
    actor,
    list: data.list === undefined ? undefined : String(data.list),
    hasPieces: data.pieces !== undefined,
    claims: [],
  };
}

/** The claim's event, its cause, and the events of the grants with which it begins. */
export type Opening = { event: SettEvent; cause: string; grants: readonly SettEvent[] };

type Known = {
  /** The agents that the claim was opened on; undefined where they are not on record. */
  agents: readonly RegisteredAgent[] | undefined;
  artefacts: ReadonlyMap<string, KnownArtefact>;
  claims: ReadonlyMap<string, ClaimSoFar>;
};

type Opened = Omit<ClaimSoFar, "basis" | "rev">;

/** A sentence where it must not be opened, or cannot be followed. */
export function openedClaim(opening: Opening, known: Known): Opened | string {
  const { cause, event, grants } = opening;
  const { claim_id: id, goal_id: goal, artefact_id: artefact, time: at } = event;
  if (!id || !goal || !artefact) return "The event names no claim, goal or artefact.";
  const origin = { id, goal, artefact, at };
  if (cause === "standard") {
    if (known.artefacts.get(artefact)?.structural !== "Standard")
      return "Only a Standard artefact has a claim of this cause.";
    const unfinished = unfinishedPiece(artefact, known.artefacts);
    if (unfinished !== undefined)
      return `The work on ${unfinished}, which is of the list's pieces, has not ended.`;
    if (known.agents === undefined) return "The registrations that it was opened on are missing.";
    const claim = biddingClaim(origin, electorateOf(known.agents));
    return { snapshot: { claim, grants: [] }, cause, reviews: [] };
  }
  if (cause.startsWith(causeOfRetry("" as ArtefactId)))
    return retried({ ...opening, id, at }, known);
  const [first] = grants;
  if (first?.agent === undefined || grants.length !== 1)
    return `A claim of this cause begins with one grant, and has ${grants.length}.`;
  const kind = cause.startsWith("clarification:") ? "clarification" : "rework";
  const problem = problemOfAsking(cause, first.agent, known.artefacts.get(artefact));
  if (kind === "clarification" && problem !== undefined) return problem;
  const snapshot = assignedClaim(origin, {
    ...{ kind, agent: first.agent, context: [] },
    standIn: standInOf(first),
  });
  return { snapshot, cause, reviews: [] };
}

/** An artefact of the list on which work goes on; undefined where the artefact is no list. */
export function unfinishedPiece(
  list: ArtefactId,
  artefacts: ReadonlyMap<string, KnownArtefact>,
): ArtefactId | undefined {
  if (artefacts.get(list)?.hasPieces !== true) return undefined;
  const ofList = [...artefacts.values()].filter((one) => one.list === list);
  return unfinishedOf(
    ofList.map(({ id, structural, claims }) => ({
      id,
      structural_type: structural as StructuralType,
      claims: claims.map(({ snapshot: { claim }, cause }) => ({
        ...{ id: claim.id, cause, status: claim.status },
      })),
    })),
  );
}

/** Which agent is asked depends on the sources of what the question is about, too. */
function problemOfAsking(
  cause: string,
  agent: AgentName,
  question: KnownArtefact | undefined,
): string | undefined {
  if (question?.structural !== "Question") return "Only a Question has a claim of this cause.";
  if (cause !== `clarification:${agent}`) return `The claim is for ${agent}, and its cause is not.`;
  return question.agent === agent ? `${agent} has asked the question.` : undefined;
}

function standInOf({ data = {} }: SettEvent): StandIn | undefined {
  if (data.instead_of === undefined) return undefined;
  return { for: String(data.instead_of), because: String(data.because) };
}

function retried(
  { cause, grants, id, at }: Opening & { id: ClaimId; at: string },
  { artefacts, claims }: Known,
): Opened | string {
  const failure = artefacts.get(cause.slice(cause.indexOf(":") + 1));
  const failed = claims.get(failure?.claim ?? "");
  if (failure === undefined || failed === undefined)
    return "The claim that it tries again is not on record.";
  const isPerson = (name: AgentName) =>
    grants.some(({ agent, type }) => agent === name && type === "grant_waiting");
  // A person's grant waits from the beginning: that is all that is needed of the registrations.
  const agents = failed.snapshot.grants.map(({ agent }) => ({
    name: agent,
    ...(isPerson(agent) && { human: true as const }),
  }));
  const result = retryClaim({
    failure: {
      ...{ id: failure.id, structural_type: "Failure", type: failure.type },
      produced_by_agent: failure.agent,
    },
    ...{ failed: failed.snapshot, agents, id, at },
    // What else it depends on are refusals, and it was not refused.
    ...{ retries: new Map(), isWanted: true },
  });
  if (!result.ok) return result.reason;
  const { claim, grants: again } = result;
  return { snapshot: { claim, grants: again }, cause, reviews: [...failed.reviews] };
}

export function targetOf(
  { artefact_id }: Claim,
  artefacts: ReadonlyMap<string, KnownArtefact>,
): DecisionInput["target"] | undefined {
  const known = artefacts.get(artefact_id);
  if (known === undefined) return undefined;
  const { id, type, version, role, agent } = known;
  return { id, type, version, produced_by_role: role, produced_by_agent: agent };
}
