// Routes of what belongs to a goal: its graph, its costs, and what people do to it.
import { z } from "@hono/zod-openapi";
import { ArtefactHead } from "../../../lib/api/artefact.ts";
import { BudgetReport } from "../../../lib/api/budget.ts";
import {
  emptyBody,
  findProblems,
  idParameter,
  idText,
  json,
  jsonBody,
  writeProblems,
} from "../../../lib/api/common.ts";
import { Graph } from "../../../lib/api/graph.ts";
import { Paused } from "../../../lib/api/instance.ts";
import { Result } from "../../../lib/api/result.ts";
import { cancelGoal, pauseGoal, resumeGoal } from "../../../lib/client/actions/control.ts";
import { postRemark } from "../../../lib/client/actions/post-remark.ts";
import { amountsToAdd, raiseBudget } from "../../../lib/client/actions/raise-budget.ts";
import { readBudget } from "../../../lib/client/facts/budget.ts";
import { budgetReportJson } from "../../../lib/client/facts/budget-json.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { resultJson } from "../../../lib/client/facts/result.ts";
import { dotText } from "../../../lib/client/render/graph-dot.ts";
import { mermaidText } from "../../../lib/client/render/graph-mermaid.ts";
import { goalResult } from "../../../lib/core/goal-result.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { causeOf } from "../access/idempotency.ts";
import type { Api } from "../env.ts";
import { findClaim } from "../facts/find-claim.ts";
import { headOf } from "../facts/inquiry-view.ts";
import type { Parts } from "../parts.ts";
import { readRoute, writeRoute } from "../route.ts";

const tags = ["Goals"];
const params = idParameter("a goal");

const graph = readRoute("/v1/goals/{id}/graph", {
  tags,
  summary: "Draw which agent made which artefact, and from what",
  request: {
    params,
    query: z.strictObject({
      format: z.enum(["json", "mermaid", "dot", "svg"]).default("json"),
    }),
  },
  responses: {
    200: {
      description:
        "The graph. Its nodes have no payloads; a claim of a node has its bids and grants.",
      content: {
        "application/json": { schema: Graph },
        "text/plain": { schema: z.string() },
        "image/svg+xml": { schema: z.string() },
      },
    },
    ...findProblems,
  },
});

const result = readRoute("/v1/goals/{id}/result", {
  tags,
  summary: "Read what came of a goal: commits, checks, approvals, duration, cost",
  request: { params },
  responses: { 200: json(Result, "What came of it so far."), ...findProblems },
});

const costs = readRoute("/v1/goals/{id}/costs", {
  tags,
  summary: "Read what a goal's calls of language models have cost, and may cost",
  request: { params },
  responses: { 200: json(BudgetReport, "As `sett budget --json` shows it."), ...findProblems },
});

const budget = writeRoute("/v1/goals/{id}/budget", "budget", {
  tags,
  summary: "Raise the limits of a goal, or of an agent's grants in it",
  request: {
    params,
    body: jsonBody(
      z
        .strictObject({
          add: z.string().min(1).max(200).openapi({ example: "5usd" }),
          agent: z.string().min(1).max(40).optional().openapi({ example: "coder" }),
        })
        .openapi("Raise"),
    ),
  },
  responses: { 200: json(BudgetReport, "The budget after it."), ...writeProblems },
});

const cancel = writeRoute("/v1/goals/{id}/cancel", "control", {
  tags,
  summary: "Cancel a goal and all work on it",
  request: { params, ...emptyBody },
  responses: {
    200: json(
      z
        .strictObject({
          id: z.string(),
          state: z.literal("cancelled"),
          claims: z.int(),
          agents: z.array(z.string()),
          unreadable: z
            .array(z.string())
            .openapi({ description: "Open claims of the goal that a person has broken by hand." }),
        })
        .openapi("Cancelled"),
      "Its open claims have ended.",
    ),
    ...writeProblems,
  },
});

const pauseState = json(
  z.strictObject({ id: z.string(), paused: Paused.nullable() }).openapi("GoalPause"),
  "Whether none of its new work begins.",
);

const pause = writeRoute("/v1/goals/{id}/pause", "control", {
  tags,
  summary: "Start no new work on a goal",
  description: "Work that runs goes on, and a lane lets other goals go before it.",
  request: { params, ...emptyBody },
  responses: { 200: pauseState, ...writeProblems },
});

const resume = writeRoute("/v1/goals/{id}/resume", "control", {
  tags,
  summary: "Start work on a goal again",
  request: { params, ...emptyBody },
  responses: { 200: pauseState, ...writeProblems },
});

const tell = writeRoute("/v1/goals/{id}/tell", "answer", {
  tags,
  summary: "Tell the work on a goal, or on one claim of it, something",
  description:
    "On record as said by the caller, and among the inputs of every grant that begins then: of the goal, or of `claim` alone. At most 20000 characters.",
  request: {
    params,
    body: jsonBody(
      z
        .strictObject({
          text: z.string().openapi({ example: "Leave the tests as they are" }),
          claim: idText
            .optional()
            .openapi({ description: "Only the work on this claim of the goal." }),
        })
        .openapi("Tell"),
    ),
  },
  responses: { 201: json(ArtefactHead, "The words, of the type `PersonSays`."), ...writeProblems },
});

export function addGoalPartRoutes(api: Api, { board, deps, goals, asker }: Parts): void {
  const { suggest } = deps;

  api.openapi(graph, async (context) => {
    const goal = await resolveGoalId(board, context.req.valid("param").id, suggest);
    const { graph: drawn, json: text } = await goals.graph(goal);
    switch (context.req.valid("query").format) {
      case "json":
        return context.body(text, 200, { "content-type": "application/json" }) as never;
      case "mermaid":
        return context.text(mermaidText(drawn), 200);
      case "dot":
        return context.text(dotText(drawn), 200);
      case "svg":
        return context.body(await deps.drawSvg(dotText(drawn)), 200, {
          "content-type": "image/svg+xml",
        }) as never;
    }
  });

  api.openapi(result, async (context) => {
    const goal = await resolveGoalId(board, context.req.valid("param").id, suggest);
    const [{ graph: drawn }, [facts], agents] = await Promise.all([
      goals.graph(goal),
      goals.read([goal]),
      board.listAgents(),
    ]);
    const came = goalResult(drawn, facts?.status.state ?? "running", agents);
    return context.json(resultJson(came, board.instance, suggest), 200);
  });

  api.openapi(costs, async (context) => {
    const goal = await resolveGoalId(board, context.req.valid("param").id, suggest);
    return context.json(budgetReportJson(await readBudget(board, goal)), 200);
  });

  api.openapi(budget, async (context) => {
    const { add: text, agent } = context.req.valid("json");
    const add = amountsToAdd(text, "`add`");
    const goal = await resolveGoalId(board, context.req.valid("param").id, suggest);
    context.set("goal", goal);
    await raiseBudget(board, {
      goal,
      add,
      agent,
      actor: context.var.caller.actor,
      cause: causeOf(context),
    });
    return context.json(budgetReportJson(await readBudget(board, goal)), 200);
  });

  api.openapi(tell, async (context) => {
    const { text, claim: id } = context.req.valid("json");
    const goal = await resolveGoalId(board, context.req.valid("param").id, suggest);
    context.set("goal", goal);
    const claim = id === undefined ? undefined : (await findClaim(board, id)).claim;
    if (claim !== undefined && claim.goal_id !== goal)
      throw new SettError("usage", `Claim ${claim.id} is of goal ${claim.goal_id}.`);
    const { actor } = context.var.caller;
    const hearer = { goal, claim: claim?.id };
    const { words } = await postRemark(board, hearer, { text, actor, suggest });
    return context.json(headOf(words), 201);
  });

  api.openapi(cancel, async (context) => {
    const goal = await resolveGoalId(board, context.req.valid("param").id, suggest);
    context.set("goal", goal);
    const ended = await cancelGoal(asker, goal, context.var.caller.actor);
    return context.json({ id: goal, state: "cancelled" as const, ...ended }, 200);
  });
  addPauseRoutes(api, { board, deps, asker });
}

function addPauseRoutes(api: Api, { board, deps, asker }: Pick<Parts, "board" | "deps" | "asker">) {
  const { suggest } = deps;

  api.openapi(pause, async (context) => {
    const id = await resolveGoalId(board, context.req.valid("param").id, suggest);
    context.set("goal", id);
    await pauseGoal(asker, id, context.var.caller.actor);
    return context.json({ id, paused: (await board.readPausedGoals()).get(id) ?? null }, 200);
  });

  api.openapi(resume, async (context) => {
    const id = await resolveGoalId(board, context.req.valid("param").id, suggest);
    context.set("goal", id);
    await resumeGoal(asker, id, context.var.caller.actor);
    return context.json({ id, paused: (await board.readPausedGoals()).get(id) ?? null }, 200);
  });
}
