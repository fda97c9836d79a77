// Questions, answers, verdicts and the pause, on the memory blackboard.
import { isForApproval, questionOf } from "../../model/claim.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId } from "../../model/ids.ts";
import { isLater } from "../../model/stream-id.ts";
import type { PeopleBoard } from "../port/people.ts";
import { endData } from "../records/ended-grant.ts";
import { artefactProblem } from "./artefact-problem.ts";
import type { EnsureOn } from "./contact.ts";
import { aboutOf, grantProblem } from "./grants.ts";
import type { IsFenced } from "./leader.ts";
import type { State } from "./state.ts";

export function peopleOf(state: State, isFenced: IsFenced, ensureOn: EnsureOn): PeopleBoard {
  return {
    async listOpenQuestions() {
      return [...state.openQuestions];
    },

    async askPeople({ question, epoch }) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      if (state.answers.has(question) || questionProblem(state, question) !== undefined)
        return { outcome: "closed" };
      if (state.openQuestions.has(question)) return { outcome: "already" };
      state.openQuestions.add(question);
      const { goal_id, claim_id, produced_by_agent } = state.artefacts.get(question) ?? {};
      const about = {
        goal_id: goal_id as GoalId,
        ...(claim_id && { claim_id: claim_id as ClaimId }),
        ...(produced_by_agent && { agent: produced_by_agent as AgentName }),
      };
      state.log(
        { type: "question_asked", ...about, artefact_id: question },
        `orchestrator:${epoch}`,
      );
      return { outcome: "asked" };
    },

    async answerQuestion(answer, actor) {
      const [question] = answer.source_artefacts;
      if (question === undefined)
        return { outcome: "refused", reason: "The answer names no question." };
      const known = state.answers.get(question);
      if (known === answer.id) return { outcome: "answered" };
      if (known !== undefined) return { outcome: "taken", answer: known };
      const problem = questionProblem(state, question);
      if (problem !== undefined) return { outcome: "refused", reason: problem };
      const taken = artefactProblem(state, answer);
      if (taken !== undefined)
        return {
          outcome: "refused",
          reason: taken === "same" ? `The artefact ${answer.id} is stored already.` : taken.reason,
        };
      state.storeArtefact(answer, actor);
      return { outcome: "answered" };
    },

    async answersOf(questions) {
      return questions.map((question) => state.answers.get(question));
    },

    async recordVerdict({ grant, review, digest, actor }) {
      const taken = artefactProblem(state, review);
      if (taken === "same") return { outcome: "recorded" };
      if (taken !== undefined) return { outcome: "refused", reason: taken.reason };
      // A claim that does not exist has no record.
      const id = review.claim_id as ClaimId;
      const record = state.claims.get(id);
      const { agent, attempt } = grant;
      const problem = grantProblem(state, record, { claim: id, agent, attempt, state: "waiting" });
      if (record === undefined || problem !== undefined)
        return { outcome: "refused", reason: problem ?? "" };
      const waiting = record.grants.get(agent);
      if (waiting !== undefined && !isForApproval(waiting))
        return {
          outcome: "refused",
          reason: `Agent ${agent} waits for an answer, not for an approval.`,
        };
      const { artefact_id } = record.claim;
      if (state.indexed.get(artefact_id) !== digest) {
        const reason = `Artefact ${artefact_id} does not have the content that it was stored with: it was overwritten by hand.`;
        return { outcome: "refused", reason };
      }
      state.storeArtefact(review, actor);
      state.writeGrant(record, grant);
      record.claim.rev += 1;
      state.log(
        {
          type: "grant_done",
          ...aboutOf(record),
          artefact_id: review.id,
          agent,
          data: endData(grant),
        },
        actor,
      );
      return { outcome: "recorded" };
    },

    async setPaused({ paused, by, at, request, epoch, readOn }) {
      ensureOn(readOn);
      if (isFenced(epoch)) return { outcome: "fenced" };
      const last = state.lastPauseRequest;
      if (last !== undefined && request === last.id) return { outcome: last.outcome };
      if (last !== undefined && request !== undefined && isLater(last.id, request))
        return { outcome: "superseded" };
      const outcome = (state.pause !== undefined) === paused ? "already" : "set";
      if (request !== undefined) state.lastPauseRequest = { id: request, outcome };
      if (outcome === "already") return { outcome };
      state.pause = paused ? { since: at, by } : undefined;
      if (paused) state.mail.pause(state.agents.keys());
      else {
        state.mail.atPause.clear();
        wakeQueued(state);
      }
      state.log(
        { type: paused ? "instance_paused" : "instance_resumed", data: { by } },
        `orchestrator:${epoch}`,
      );
      return { outcome: "set" };
    },

    async readPause() {
      return state.pause;
    },
  };
}

/**
 * Why the question needs no answer any more; undefined when it does. One that no agent asked (about
 * a goal) is open until its goal ends.
 */
function questionProblem(state: State, id: ArtefactId): string | undefined {
  const question = state.artefacts.get(id);
  const { structural_type, goal_id, claim_id, produced_by_agent } = question ?? {};
  // What a person has written may lack a field until it is adopted.
  if (
    structural_type !== "Question" ||
    goal_id === undefined ||
    claim_id === undefined ||
    produced_by_agent === undefined
  )
    return `There is no question ${id}.`;
  if (state.isGoalEnded(goal_id as GoalId)) return `Goal ${goal_id} was ended.`;
  if (!produced_by_agent) return undefined;
  const grant = state.claims.get(claim_id as ClaimId)?.grants.get(produced_by_agent as AgentName);
  if (grant !== undefined && questionOf(grant) === id) return undefined;
  return `Agent ${produced_by_agent} does not wait for an answer to question ${id} any more.`;
}

function wakeQueued(state: State): void {
  for (const agent of state.agents.keys())
    for (const id of state.queued.get(agent) ?? []) state.wake(id, agent);
}
