// /v1/goals: list them, read one, state one.
import { z } from "@hono/zod-openapi";
import {
  findProblems,
  idParameter,
  json,
  jsonBody,
  listOf,
  namesIn,
  namesParameter,
  orderParameter,
  pageParameters,
  readProblems,
  writeProblems,
} from "../../../lib/api/common.ts";
import { Goal, GoalStateWord, GoalSummary, NewGoal, PostedGoal } from "../../../lib/api/goal.ts";
import { checkedText, textKinds } from "../../../lib/client/actions/checked-text.ts";
import { readSituation } from "../../../lib/client/facts/goal.ts";
import { goalList } from "../../../lib/client/facts/pages.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { ArtefactId, CommitHash } from "../../../lib/model/ids.ts";
import { goalIdOf } from "../access/idempotency.ts";
import type { Repository } from "../deps.ts";
import type { Api } from "../env.ts";
import { goalSummaryView, goalView } from "../facts/goal-view.ts";
import { pageOf, reachOf } from "../paging.ts";
import type { Parts } from "../parts.ts";
import { readRoute, writeRoute } from "../route.ts";

const tags = ["Goals"];
/** The state of a goal takes many reads. */
const reach = { lookedAt: 500, atOnce: 20 };

const listGoals = readRoute("/v1/goals", {
  tags,
  summary: "List the goals",
  request: {
    query: z.strictObject({
      state: namesParameter("Only goals in these states.", "running,waiting", GoalStateWord.options)
        .transform(namesIn)
        .pipe(z.array(GoalStateWord)),
      order: orderParameter,
      ...pageParameters,
    }),
  },
  responses: { 200: json(listOf(GoalSummary, "GoalList"), "The goals."), ...readProblems },
});

const readGoal = readRoute("/v1/goals/{id}", {
  tags,
  summary: "Read a goal: its state, what it waits for, and why",
  request: { params: idParameter("a goal") },
  responses: { 200: json(Goal, "The goal."), ...findProblems },
});

const postGoal = writeRoute("/v1/goals", "forage", {
  tags,
  summary: "State a goal",
  request: { body: jsonBody(NewGoal) },
  responses: { 201: json(PostedGoal, "The goal is on the blackboard."), ...writeProblems },
});

export function addGoalRoutes(api: Api, parts: Parts): void {
  const { board, deps, goals } = parts;

  api.openapi(listGoals, async (context) => {
    const { state: states, ...page } = context.req.valid("query");
    const answer = await pageOf(
      goalList(board),
      page,
      async (ids) => {
        const facts = await goals.read(ids);
        return facts.map((one) =>
          states.length === 0 || states.includes(one.status.state)
            ? goalSummaryView(one)
            : undefined,
        );
      },
      reachOf(states.length > 0, reach),
    );
    return context.json(answer, 200);
  });

  api.openapi(readGoal, async (context) => {
    const goal = await resolveGoalId(board, context.req.valid("param").id, deps.suggest);
    const [[facts], situation] = await Promise.all([
      goals.read([goal]),
      readSituation(board, deps.suggest),
    ]);
    const first = await board.readArtefact(ArtefactId.parse(goal));
    if (facts === undefined) throw new SettError("artefact-not-found", `There is no goal ${goal}.`);
    return context.json(goalView(facts, first?.payload ?? "", situation), 200);
  });

  api.openapi(postGoal, async (context) => {
    const { text: whole, id = goalIdOf(context), commit } = context.req.valid("json");
    const text = checkedText(whole, textKinds.goal);
    const repository = repositoryOf(parts);
    const posted = await repository.postGoal(board, {
      text,
      id,
      commit: commit === undefined ? undefined : await commitNamed(repository, commit),
      actor: context.var.caller.actor,
    });
    context.set("goal", posted.goal_id);
    const { summary = "", commit: begin } = posted.metadata;
    const lacking = begin === undefined ? [] : await repository.lacking(board.instance, begin);
    return context.json({ id: posted.id, commit: begin ?? null, summary, lacking }, 201);
  });
}

/** A whole hash is taken as it is. Throws `usage`. */
export async function commitNamed(
  repository: Pick<Repository, "resolve">,
  name: string,
): Promise<CommitHash> {
  const hash = CommitHash.safeParse(name);
  return hash.success ? hash.data : await repository.resolve(name.trim());
}

/** Throws `not-ready`. */
export function repositoryOf({ deps: { repository } }: Pick<Parts, "deps">) {
  if (repository !== undefined) return repository;
  throw new SettError(
    "not-ready",
    "This API sees no repository, so it can neither state goals nor show commits.",
    {
      hint: "Who runs the instance can give it one: `SETT_REPOSITORY_DIR` names it. `sett up` and `sett ui` do.",
    },
  );
}
