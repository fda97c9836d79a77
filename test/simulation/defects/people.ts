// Mistakes about questions, answers, goals, artefacts and what people request.
import { State } from "../../../lib/blackboard/memory/state.ts";
import type { EventType } from "../../../lib/model/event.ts";
import { type Defect, meanwhile } from "../planting.ts";

const unlogged = (type: EventType): Defect => ({
  name: `${type} is not logged`,
  plant: (planting) =>
    planting.method(State.prototype, "log", (original, _state, draft, actor) => {
      if (draft.type !== type) original(draft, actor);
    }),
});

/** Keeps the questions that are listed as open. */
function keepQuestions<Result>(state: State, work: () => Result): Result {
  const before = [...state.openQuestions];
  const result = work();
  for (const question of before) state.openQuestions.add(question);
  return result;
}

export const peopleDefects: readonly Defect[] = [
  {
    name: "an answered question stays open",
    plant: (planting) => {
      planting.method(State.prototype, "indexArtefact", (original, state, artefact, actor) => {
        keepQuestions(state, () => original(artefact, actor));
      });
      planting.method(State.prototype, "writeGrant", (original, state, record, grant) => {
        keepQuestions(state, () => original(record, grant));
      });
    },
  },
  {
    name: "people are asked twice",
    plant: (planting) =>
      planting.call("askPeople", (original, { state }, order) => {
        state.openQuestions.delete(order.question);
        return original(order);
      }),
  },
  {
    name: "people are asked what is answered",
    plant: (planting) =>
      planting.call("askPeople", (original, { state }, order) => {
        const answer = state.answers.get(order.question);
        state.answers.delete(order.question);
        const result = original(order);
        if (answer !== undefined) state.answers.set(order.question, answer);
        return result;
      }),
  },
  {
    name: "the end of a goal is logged and not marked",
    needs: "cancel",
    plant: (planting) =>
      planting.call("endGoal", async (original, { state }, order) => {
        const result = await original(order);
        state.goal(order.goal).ended = undefined;
        return result;
      }),
  },
  {
    name: "a pause is logged and not kept",
    needs: "pause instance",
    plant: (planting) =>
      planting.call("setPaused", async (original, { state }, order) => {
        const result = await original(order);
        state.pause = undefined;
        return result;
      }),
  },
  {
    name: "a verdict is recorded, and its grant still waits",
    plant: (planting) =>
      planting.call("recordVerdict", (original, { state }, verdict) =>
        meanwhile(state, { writeGrant: () => {} }, () => original(verdict)),
      ),
  },
  {
    name: "an artefact is adopted that is known",
    plant: (planting) =>
      planting.call("adoptArtefact", (original, { state }, id, epoch) => {
        state.indexed.delete(id);
        return original(id, epoch);
      }),
  },
  {
    name: "a goal counts its artefacts wrong",
    plant: (planting) =>
      planting.method(State.prototype, "log", (original, _state, { data, ...draft }, actor) => {
        const count = data?.goal_artefacts;
        const more = count === undefined ? data : { ...data, goal_artefacts: Number(count) - 1 };
        return original({ ...draft, ...(more && { data: more }) }, actor);
      }),
  },
  {
    name: "a request is logged by no person",
    plant: (planting) =>
      planting.call("logEvent", (original, _place, draft, actor) =>
        original(draft, draft.type === "retry_requested" ? "agent:worker" : actor),
      ),
  },
  unlogged("artefact_created"),
  unlogged("grant_waiting"),
  unlogged("goal_ended"),
  unlogged("question_asked"),
  unlogged("orchestrator_started"),
];
