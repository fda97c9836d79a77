// Plays what people are asked and what they say: questions, answers, verdicts, the pause.
import { isForApproval, questionOf } from "../../../../../lib/model/claim.ts";
import type { ArtefactId, GoalId } from "../../../../../lib/model/ids.ts";
import { call } from "../call.ts";
import { artefact } from "../samples.ts";
import type { World } from "../world.ts";
import type { Move } from "./move.ts";

const person = "person:Ada Lovelace <ada@example.org>";

export const peopleMoves: readonly Move[] = [
  { weight: 1, make: (world) => call(world.handle(), "listOpenQuestions") },
  {
    weight: 2,
    make: (world) =>
      call(
        world.handle(),
        "createArtefact",
        artefact(world, { structural_type: "Question", type: "GoalFeedback" }),
        person,
      ),
  },
  {
    weight: 6,
    make: (world) => {
      const id = question(world);
      return id && call(world.leading(), "askPeople", { question: id, epoch: world.epoch() });
    },
  },
  {
    weight: 5,
    make: (world) => {
      const id = question(world);
      if (id === undefined) return undefined;
      const stored = world.artefact(id);
      const sources = world.random.chance(0.97) ? [id] : [];
      const over = {
        structural_type: "Answer" as const,
        type: "Answer",
        source_artefacts: sources,
        produced_by_role: "user",
      };
      const answer = artefact(world, { ...over, ...(stored && { goal_id: stored.goal_id }) });
      const known = world.artefact(world.indexedId());
      const odd =
        known && world.random.chance(0.05) ? { ...known, source_artefacts: sources } : undefined;
      return call(world.handle(), "answerQuestion", odd ?? answer, person);
    },
  },
  {
    weight: 1,
    make: (world) => call(world.handle(), "answersOf", [...questions(world), world.artefactId()]),
  },
  {
    weight: 6,
    make: (world) => {
      const waiting = world.grants((grant, claim) => isForApproval(grant) && world.isLive(claim));
      const at = world.fitting(waiting, () => world.random.pick(world.grants(() => true)));
      if (at === undefined) return undefined;
      const { claim, grant } = at;
      const { agent, phase, queued_at } = grant;
      const review = artefact(world, {
        structural_type: "Review",
        type: "Approval",
        payload: "{}",
        source_artefacts: [claim.artefact_id],
        goal_id: claim.goal_id,
        claim_id: world.random.chance(0.97) ? claim.id : world.newClaimId(),
        produced_by_role: agent,
        produced_by_agent: agent,
      });
      const attempt = world.random.chance(0.95) ? grant.attempt : grant.attempt + 1;
      const ended = {
        started_at: world.at,
        context_ids: [],
        ended_at: world.at,
        artefact_ids: [review.id],
        state: "done" as const,
      };
      const digest = world.random.chance(0.9) ? world.state.digestOf(claim.artefact_id) : "another";
      return call(world.handle(), "recordVerdict", {
        grant: { agent, phase, attempt, queued_at, ...ended },
        review,
        digest,
        actor: person,
      });
    },
  },
  {
    weight: 2,
    make: (world) => {
      const isPaused = world.state.pause !== undefined;
      const paused = world.random.chance(0.9) ? !isPaused : isPaused;
      const request = world.random.chance(0.5) ? `${1 + world.random.below(40)}-0` : undefined;
      const order = { paused, by: person, at: world.at, ...(request && { request }) };
      return call(world.leading(), "setPaused", { ...order, epoch: world.epoch() });
    },
  },
  // Most of the time the instance runs.
  {
    weight: 3,
    make: (world) =>
      world.state.pause &&
      call(world.leading(), "setPaused", {
        paused: false,
        by: person,
        at: world.at,
        epoch: world.epoch(),
      }),
  },
  { weight: 1, make: (world) => call(world.handle(), "readPause") },
];

function questions(world: World): ArtefactId[] {
  return [...world.state.artefacts]
    .filter(([, fields]) => fields.structural_type === "Question")
    .map(([id]) => id);
}

/** Mostly one for which a grant waits, or that is about a goal. */
function question(world: World): ArtefactId | undefined {
  const { state } = world;
  const awaited = world.grants(
    (grant, claim) => questionOf(grant) !== undefined && world.isLive(claim),
  );
  const ofGoals = questions(world).filter((id) => {
    const { produced_by_agent, goal_id } = state.artefacts.get(id) ?? {};
    return (
      produced_by_agent === "" && !state.answers.has(id) && !state.isGoalEnded(goal_id as GoalId)
    );
  });
  const open = [...awaited.flatMap(({ grant }) => questionOf(grant) ?? []), ...ofGoals];
  return world.fitting(
    open,
    () => world.known(questions(world), () => world.artefactId(), 0.7),
    0.85,
  );
}
