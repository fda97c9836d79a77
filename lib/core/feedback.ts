// Decides what follows when reviewers do not approve
// (docs/internals/claims.md#reviews-and-the-feedback-loop).

import type { RegisteredAgent } from "../model/agent.ts";
import { type Artefact, goalType, userRole } from "../model/artefact.ts";
import type { AgentName, ArtefactId, GoalId } from "../model/ids.ts";
import {
  agentRemovedType,
  agentSilentType,
  attemptLostType,
  postRejectedType,
  producerGoneType,
  reviewRoundsExceededType,
} from "../model/own-types.ts";
import type { Policy } from "../model/policy.ts";
import type { DecisionInput } from "./claim-decision.ts";
import type { FollowUp, Rework } from "./follow-up.ts";
import type { FailedGrant } from "./retry.ts";
import type { Verdict } from "./review-verdict.ts";
import { causeOfStandIn, isNotRegistered, standInsFor } from "./stand-in.ts";

export function followUpOnFeedback(input: {
  target: Pick<Artefact, "id" | "type" | "version" | "produced_by_role" | "produced_by_agent">;
  goal: GoalId;
  rejecting: readonly Verdict[];
  agents: readonly RegisteredAgent[];
  policy: Policy;
  failureId: ArtefactId;
}): FollowUp {
  const { target, goal, rejecting, agents, policy, failureId } = input;
  const reviews = rejecting.map((review) => review.id);
  const fail = (type: string, reason: string): FollowUp => ({
    kind: "failure",
    failure: { id: failureId, type, reason, sources: [target.id, ...reviews] },
  });
  const isGoal = target.type === goalType || String(target.id) === String(goal);
  if (target.produced_by_role === userRole && isGoal) {
    return {
      kind: "question",
      question: { payload: goalQuestion(rejecting), sources: [target.id, ...reviews] },
    };
  }
  if (target.produced_by_agent === "") {
    const names = rejecting.map(({ agent }) => agent).join(", ");
    return fail(
      postRejectedType,
      `${names} rejected version ${target.version}, which a person posted: a person posts the next one (sett post --version-of).`,
    );
  }
  // Version n of a thread has been reworked n - 1 times.
  if (target.version - 1 >= policy.review_rounds) {
    return fail(
      reviewRoundsExceededType,
      `Version ${target.version} was rejected and limits.review_rounds is ${policy.review_rounds}.`,
    );
  }
  const cause = `rework:${target.version}`;
  const producer = agents.find((agent) => agent.name === target.produced_by_agent);
  if (producer !== undefined) return { kind: "rework", agent: producer.name, reviews, cause };
  const [agent] = standInsFor(target, agents);
  const name = target.produced_by_agent || "(none)";
  if (agent !== undefined)
    return {
      kind: "rework",
      agent,
      reviews,
      cause,
      standIn: { for: name, because: isNotRegistered },
    };
  const reason = `Agent ${name}, which made this, is not registered any more, and no other agent has the role ${target.produced_by_role}.`;
  return fail(producerGoneType, `${reason} So no agent can rework it.`);
}

type ReworkInput = Pick<DecisionInput, "claim" | "target" | "agents">;

/**
 * The agent that takes over a rework from this one. Always a later one by name, so that no agent
 * gets the rework twice.
 */
export function reworkerAfter(
  agent: AgentName,
  { claim, target, agents }: ReworkInput,
): AgentName | undefined {
  return standInsFor(target, agents).find((name) => claim.stand_in === undefined || name > agent);
}

/**
 * Decides what follows a rework that failed other than by the command's own answer. An agent
 * without `retries` does not want a lost attempt to be repeated, and so not by another agent
 * either: the attempt may have had effects.
 */
export function reworkByAnother(failed: FailedGrant, input: ReworkInput): Rework | undefined {
  const { claim, target } = input;
  const [failure] = failed.artefact_ids;
  const wasNeverStarted =
    failed.failure_type === agentRemovedType || failed.failure_type === agentSilentType;
  const wasLost = failed.failure_type === attemptLostType && failed.retries !== undefined;
  const agent = reworkerAfter(failed.agent, input);
  if (
    claim.kind !== "rework" ||
    failure === undefined ||
    agent === undefined ||
    !(wasNeverStarted || wasLost)
  )
    return undefined;
  return {
    kind: "rework",
    agent,
    reviews: claim.additional_context_ids,
    cause: causeOfStandIn(failure),
    standIn: { for: target.produced_by_agent, because: failed.reason },
    ...(failed.dialogue && { dialogue: failed.dialogue }),
  };
}

function goalQuestion(rejecting: readonly Verdict[]): string {
  const excerpts = rejecting.map(({ agent, excerpt }) => `${agent}: ${excerpt}`);
  return [
    "Reviewers gave feedback on the goal. Answer with the whole goal as it should read now.",
    ...excerpts,
  ].join("\n\n");
}
