// Scenes with people in them: a clan on a real Redis, and what a person does at the command line.
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { goalStatus } from "../../../lib/core/goal-status.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { Grant, MalformedClaim } from "../../../lib/model/claim.ts";
import { ClaimId } from "../../../lib/model/ids.ts";
import type { Policy } from "../../../lib/model/policy.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { newArtefactId, sampleArtefact } from "../records/sample.ts";
import type { RedisServer } from "../redis/redis-server.ts";
import { waitFor } from "../wait-for.ts";
import { Clan, type Member } from "./clan.ts";
import { placeInRedis } from "./redis-place.ts";

export const ada = "person:Ada <ada@example.org>";

/**
 * A clan with an orchestrator on an instance of its own. `within`: what each part of it has instead
 * of its handle on the blackboard.
 */
export async function startClanOn(
  redis: RedisServer,
  members: Record<string, Member>,
  policy: Partial<Policy> = {},
  within: (board: Blackboard) => Blackboard = (board) => board,
) {
  const place = placeInRedis(redis);
  const open = async () => within(await place.open());
  const clan = new Clan({ open }, await open(), { policy, contactMs: 0 });
  await clan.join(members);
  await clan.startOrchestrator();
  return clan;
}

export async function statusOf({ board }: Clan, { goal_id: goal }: Artefact) {
  const { ended } = await board.readGoal(goal);
  const artefacts = await board.readArtefacts(await board.listArtefactsOfGoal(goal));
  const openQuestions = new Set(await board.listOpenQuestions());
  const causes = new Map<Artefact["id"], Map<string, ClaimId>>();
  for (const { id } of artefacts) causes.set(id, await board.claimsOfArtefact(id));
  const malformed: MalformedClaim[] = [];
  const ids = [...causes.values()].flatMap((ofArtefact) => [...ofArtefact.values()]);
  const claims = await board.readClaims(ids, (one) => malformed.push(one));
  return goalStatus({ goal, ended, artefacts, causes, claims, openQuestions, malformed });
}

/** Waits until the goal has this state. */
export async function reaches(clan: Clan, goal: Artefact, state: string): Promise<void> {
  await waitFor(
    `the goal ${state}`,
    async () => (await statusOf(clan, goal)).state === state,
    clan.patience,
  );
}

export const report = (payload: string) => ({
  artefact_type: "Report",
  artefact_payload: payload,
  summary: "",
});
export const ending = (payload: string) => ({ ...report(payload), structural_type: "Terminal" });
export const asking = (payload: string, about?: string) => ({
  structural_type: "Question",
  payload,
  ...(about && { about }),
});
export const replying = (payload: string) => ({ structural_type: "Answer", payload });
export const wants = (on: string, bid: "review" | "claim" | "exclusive") => ({
  bids: [{ on, bid }],
});
export const answersIn = ({ additional_context }: ToolInput) =>
  additional_context.filter((one) => one.structural_type === "Answer");

/** As `sett answer` does it. */
export async function answer(clan: Clan, question: Artefact, payload: string) {
  const made = {
    structural_type: "Answer",
    type: "Answer",
    produced_by_role: "user",
    produced_by_agent: "",
  } as const;
  const { goal_id } = question;
  const artefact = sampleArtefact({
    ...made,
    payload,
    source_artefacts: [question.id],
    goal_id,
    claim_id: "",
  });
  return { artefact, outcome: await clan.board.answerQuestion(artefact, ada) };
}

export async function askedOfPeople(clan: Clan, text: string): Promise<Artefact> {
  return waitFor("the question", async () => {
    const open = await clan.board.readArtefacts(await clan.board.listOpenQuestions());
    return open.find((question) => question.payload.includes(text));
  });
}

export async function grantOf(
  clan: Clan,
  artefact: Artefact,
  agent: string,
  cause = "standard",
): Promise<Grant | undefined> {
  const id = (await clan.board.claimsOfArtefact(artefact.id)).get(cause);
  const snapshot = id && (await clan.board.readClaim(id));
  return snapshot?.grants.find((grant) => grant.agent === agent);
}

export const terminalOf = (clan: Clan, goal: Artefact) =>
  clan.made(goal, (one) => one.structural_type === "Terminal");

/**
 * As `sett approve` and `sett reject` do it, for the person who is the agent `name`, once they are
 * asked.
 */
export async function decide(clan: Clan, target: Artefact, name: string, payload: string) {
  const waiting = await waitFor("the approval", async () => {
    const found = await grantOf(clan, target, name);
    return found?.state === "waiting" ? found : undefined;
  });
  const id = newArtefactId();
  const { waits_for: _approval, ...given } = waiting;
  const claim_id = ClaimId.parse((await clan.board.claimsOfArtefact(target.id)).get("standard"));
  const made = {
    structural_type: "Review",
    type: "Review",
    produced_by_role: name,
    produced_by_agent: name,
  } as const;
  const about = { id, goal_id: target.goal_id, claim_id, source_artefacts: [target.id] };
  const grant = {
    ...given,
    state: "done" as const,
    ended_at: new Date().toISOString(),
    artefact_ids: [id],
  };
  const review = sampleArtefact({ ...made, ...about, payload });
  const digest = (await clan.board.readWithDigest(target.id))?.digest ?? "";
  return clan.board.recordVerdict({ grant, review, digest, actor: ada });
}

/** A person whose approval a Plan needs, who makes it, and who ends the goal by it. */
export const lead: Member = { ...wants("Plan", "review"), human: true, role: "lead" };
export const planner: Member = {
  ...wants("GoalDefined", "exclusive"),
  tool: (input) => ({
    artefact_type: "Plan",
    artefact_payload: `version ${input.target_artefact.version}`,
    summary: "",
  }),
};
export const packager: Member = {
  ...wants("Plan", "exclusive"),
  tool: ({ target_artefact }) => ending(target_artefact.payload),
};
