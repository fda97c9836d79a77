// What follows when reviewers do not approve (DESIGN §5, "Feedback loop").
import type { AgentRegistration } from "../model/agent.ts";
import { type Artefact, userRole } from "../model/artefact.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";
import type { Policy } from "../model/policy.ts";
import type { Verdict } from "./review-verdict.ts";

export type FollowUp =
  /** The producer makes the next version, with the reviews before its eyes. `cause` makes the claim unique for this round. */
  | { kind: "rework"; agent: AgentName; reviews: ArtefactId[]; cause: string }
  /** On a goal, its author is asked: the answer becomes its next version. */
  | { kind: "question"; question: { payload: string; sources: ArtefactId[] } }
  | { kind: "failure"; failure: { id: ArtefactId; type: string; reason: string; sources: ArtefactId[] } };

export function followUpOnFeedback(input: {
  target: Pick<Artefact, "id" | "version" | "produced_by_role" | "produced_by_agent">;
  rejecting: readonly Verdict[];
  agents: readonly AgentRegistration[];
  policy: Policy;
  failureId: ArtefactId;
}): FollowUp {
  const { target, rejecting, agents, policy, failureId } = input;
  const reviews = rejecting.map((review) => review.id);
  const fail = (type: string, reason: string): FollowUp => ({
    kind: "failure",
    failure: { id: failureId, type, reason, sources: [target.id, ...reviews] },
  });
  if (target.produced_by_role === userRole) {
    return { kind: "question", question: { payload: goalQuestion(rejecting), sources: [target.id, ...reviews] } };
  }
  // Version n of a thread has been reworked n - 1 times.
  if (target.version - 1 >= policy.review_rounds) {
    return fail(
      "ReviewRoundsExceeded",
      `Version ${target.version} was rejected and limits.review_rounds is ${policy.review_rounds}.`,
    );
  }
  const producer = agents.find((agent) => agent.name === target.produced_by_agent);
  if (producer === undefined) {
    return fail("ProducerGone", `Agent ${target.produced_by_agent || "(none)"} made this and is no longer here to rework it.`);
  }
  return { kind: "rework", agent: producer.name, reviews, cause: `rework:${target.version}` };
}

function goalQuestion(rejecting: readonly Verdict[]): string {
  const said = rejecting.map(({ agent, excerpt }) => `${agent}: ${excerpt}`);
  return ["Reviewers gave feedback on the goal. Answer with the whole goal as it should read now.", ...said].join("\n\n");
}
