// /v1/agents: who is in the clan, and what each of them has logged.
import { z } from "@hono/zod-openapi";
import { Agent, AgentList } from "../../../lib/api/agent.ts";
import { findProblems, json, readProblems } from "../../../lib/api/common.ts";
import { kindOf } from "../../../lib/client/facts/agent-kind.ts";
import { livenessOf } from "../../../lib/client/facts/blocked-reason.ts";
import { readSituation } from "../../../lib/client/facts/goal.ts";
import { readLanes } from "../../../lib/client/facts/lanes.ts";
import { agentJson } from "../../../lib/client/facts/status-json.ts";
import { type Claim, type Grant, isForApproval } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Api } from "../env.ts";
import { lineStream } from "../events/line-stream.ts";
import type { Parts } from "../parts.ts";
import { readRoute } from "../route.ts";
import { openStream } from "./open-stream.ts";

const tags = ["Agents"];
const maxTail = 5_000;

const listAgents = readRoute("/v1/agents", {
  tags,
  summary: "List the agents: what they do, what waits for them, and how well they do",
  responses: { 200: json(AgentList, "By name."), ...readProblems },
});

const readLogs = readRoute("/v1/agents/{name}/logs", {
  tags,
  summary: "Read what an agent has logged, or follow it",
  request: {
    params: z.strictObject({
      name: z
        .string()
        .min(1)
        .max(40)
        .regex(/^[a-z0-9-]+$/, {
          error: "must be the name of an agent, or orchestrator, gateway, redis or api",
        })
        .openapi({
          param: { name: "name", in: "path" },
          description: "An agent, or `orchestrator`, `gateway`, `redis`, `api`.",
          example: "coder",
        }),
    }),
    query: z.strictObject({
      tail: z.coerce
        .number()
        .int()
        .min(0)
        .max(maxTail)
        .default(200)
        .openapi({ description: "How many of the last lines.", example: 200 }),
      follow: z
        .enum(["true", "false"])
        .default("false")
        .openapi({ description: "Keep the answer open for new lines." }),
    }),
  },
  responses: {
    200: { description: "Lines.", content: { "text/plain": { schema: z.string() } } },
    ...findProblems,
  },
});

export function addAgentRoutes(api: Api, parts: Parts): void {
  const { board, deps, rates } = parts;

  api.openapi(listAgents, async (context) => {
    const situation = await readSituation(board, deps.suggest);
    const { agents, open } = situation;
    const [ratesOf, lanes] = await Promise.all([
      rates.of(agents.map(({ name }) => name)),
      readLanes(board, situation),
    ]);
    const items = agents.map((agent) => ({
      ...agentJson(agent, situation, lanes),
      state: Agent.shape.state.parse(agentJson(agent, situation, lanes).state),
      kind: kindOf(agent) ?? ("container" as const),
      is_silent: livenessOf(agent, situation).reason === "silent",
      works_on: open.flatMap(({ claim, grants }) =>
        grants.flatMap((grant) => (grant.agent === agent.name ? workOf(claim, grant) : [])),
      ),
      queued: open.reduce(
        (sum, { grants }) =>
          sum + grants.filter((grant) => grant.agent === agent.name && waitsFor(grant)).length,
        0,
      ),
      rates: ratesOf.get(agent.name) ?? {
        ...{ done: 0, failed: 0, failures_by_reason: {}, median_ms: null, since: null },
      },
      bids: agent.bids,
    }));
    return context.json({ items }, 200);
  });

  api.openapi(readLogs, async (context) => {
    const { name } = context.req.valid("param");
    const { tail, follow } = context.req.valid("query");
    const { logs } = deps;
    if (logs === undefined)
      throw new SettError("not-ready", "This API reaches no logs of agents.", {
        hint: `Who runs the instance reads them on its machine: \`sett logs ${name}\`.`,
      });
    const { signal } = context.req.raw;
    if (follow === "true") {
      // An answer that has begun can say no more that there is no such part.
      await Array.fromAsync(logs.read(name, { tail: 0, follow: false, signal }));
      return await openStream(
        parts,
        context,
        "text/plain; charset=utf-8",
        async ({ signal, end }) => lineStream(logs.read(name, { tail, follow: true, signal }), end),
      );
    }
    const lines = await Array.fromAsync(logs.read(name, { tail, follow: false, signal }));
    return context.text(lines.map((line) => `${line}\n`).join(""), 200);
  });
}

/** A person's verdict is asked for without a queue. */
function waitsFor(grant: Grant): boolean {
  return grant.state === "queued" || isForApproval(grant);
}

function workOf({ id, goal_id, artefact_id }: Claim, grant: Grant) {
  if (grant.state !== "running") return [];
  const { phase, started_at } = grant;
  return [{ claim_id: id, goal_id, artefact: artefact_id, phase, since: started_at }];
}
