// The contract of the API over a blackboard in memory, for work on the page alone: the page's tests have the real one.
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { cancelGoal, pauseInstance, resumeInstance, retryFailure } from "../../../lib/client/actions/control.ts";
import { findJudged, judge } from "../../../lib/client/actions/judge.ts";
import { postAnswer } from "../../../lib/client/actions/post-answer.ts";
import type { Asker } from "../../../lib/client/actions/request.ts";
import { goalSummary, readGoal, readSituation } from "../../../lib/client/facts/goal.ts";
import { readInquiries } from "../../../lib/client/facts/inquiries.ts";
import { agentJson, claimJson, goalJson } from "../../../lib/client/facts/status-json.ts";
import { artefactGraph, foreignSources } from "../../../lib/core/artefact-graph.ts";
import { waitedForBy } from "../../../lib/core/goal-status.ts";
import { isApproval } from "../../../lib/core/review-verdict.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { ArtefactId, ClaimId, GoalId } from "../../../lib/model/ids.ts";
import { readPagePack } from "../../../lib/service/page-pack.ts";
import { sampleArtefact } from "../records/sample.ts";

const actor = "person:Ada Lovelace <ada@example.org>";
const suggest = (command: string) => `sett ${command}`;
const csp = "default-src 'self'; frame-ancestors 'none'";

export function playedApi(board: Blackboard, pack: string, diffs: Map<string, string>) {
  const app = new Hono();
  const page = readPagePack(pack);
  const asker: Asker = {
    board,
    suggest,
    signal: new AbortController().signal,
    async follow(from, visit, over) {
      let last = from;
      while (!over.aborted) {
        const events = await board.readEvents(last, 500);
        last = events.at(-1)?.id ?? last;
        if (events.length === 0) await Bun.sleep(20);
        else if ((await visit(events, board)) === "enough") return;
      }
    },
  };
  const claimView = (snapshot: ClaimSnapshot) => {
    const { electorate, bids, created_at, termination_reason, goal_id, stand_in } = snapshot.claim;
    const { grants } = snapshot;
    return {
      ...claimJson(snapshot),
      electorate,
      bids,
      created_at,
      termination_reason,
      goal_id,
      stand_in,
      grants,
      waiting_for: waitedForBy(snapshot),
    };
  };
  const claimsAbout = async (id: ArtefactId) => board.readClaims([...(await board.claimsOfArtefact(id)).values()]);
  const withCommit = (one: Artefact): Artefact =>
    one.type === "CodeCommit" || one.type === "Plan"
      ? { ...one, metadata: { ...one.metadata, commit: [...diffs.keys()][0] as never } }
      : one;
  const verdictOf = ({ structural_type, payload }: Artefact) =>
    structural_type === "Review" ? { verdict: isApproval(payload) ? ("approval" as const) : ("feedback" as const) } : {};

  app.onError((error, c) => {
    const known = error instanceof SettError ? error : new SettError("usage", String(error));
    if (!(error instanceof SettError)) console.error(error);
    const status = known.code === "request-refused" ? 409 : known.code.endsWith("not-found") ? 404 : 422;
    return c.json({ title: known.code, status, code: known.code, detail: known.message, hint: known.hint }, status);
  });
  app.get("/v1/instance", async (c) => {
    const situation = await readSituation(board, suggest);
    const inquiries = await readInquiries(board);
    return c.json({
      instance: "demo",
      version: "0.1.0",
      me: { name: "Ada Lovelace", rights: ["read", "forage", "answer", "approve", "control"] },
      paused: situation.pause ?? null,
      orchestrator: { holder: "x", epoch: 1, alive: true },
      redis: { used_bytes: 1_000_000, limit_bytes: null, problem: null },
      repository: { head: "4f1c9b2a7d3e5f60718293a4b5c6d7e8f9012345" },
      counts: {
        goals: await board.countGoals(),
        open_questions: inquiries.filter(({ kind }) => kind === "question").length,
        open_approvals: inquiries.filter(({ kind }) => kind === "approval").length,
        open_claims: situation.open.length,
      },
      now: new Date().toISOString(),
    });
  });
  app.get("/v1/goals", async (c) => {
    const situation = await readSituation(board, suggest);
    const ids = (await board.listGoals()).toReversed();
    const goals = await Promise.all(ids.map(async (id) => goalJson(await readGoal(board, id), situation)));
    const wanted = (c.req.query("state") ?? "").split(",").filter(Boolean);
    const items = goals.filter(({ state }) => wanted.length === 0 || wanted.includes(state));
    return c.json({
      items: items.map((g) => ({
        ...g,
        open_claims: g.open_claims.length,
        waiting_for: g.waiting_for.length,
        failures: g.failures.length,
      })),
      next: null,
    });
  });
  app.post("/v1/goals", async (c) => {
    const { text } = await c.req.json();
    const goal = sampleArtefact({ payload: text, metadata: { summary: text.split("\n")[0] } });
    await board.createArtefact(goal, actor);
    return c.json({ id: goal.id, commit: null, summary: text }, 201);
  });
  app.get("/v1/goals/:id", async (c) => {
    const id = GoalId.parse(c.req.param("id"));
    const goal = await board.readArtefact(ArtefactId.parse(id));
    if (goal === undefined) throw new SettError("artefact-not-found", "There is no such goal.");
    const reading = await readGoal(board, id);
    return c.json({
      ...goalJson(reading, await readSituation(board, suggest)),
      summary: goalSummary(reading),
      text: goal.payload,
      commit: goal.metadata.commit ?? null,
    });
  });
  app.get("/v1/goals/:id/graph", async (c) => {
    const goal = GoalId.parse(c.req.param("id"));
    const artefacts = (await board.readArtefacts(await board.listArtefactsOfGoal(goal))).map((one) => ({
      ...withCommit(one),
      ...verdictOf(one),
      payload: undefined,
    }));
    const outside = await board.readArtefacts(foreignSources(artefacts));
    const claims = (await Promise.all(artefacts.map(({ id }) => claimsAbout(id)))).flat();
    return c.json(artefactGraph({ goal, artefacts, outside, claims }));
  });
  app.post("/v1/goals/:id/cancel", async (c) => c.json(await cancelGoal(asker, GoalId.parse(c.req.param("id")), actor)));
  app.post("/v1/pause", async (c) => (await pauseInstance(asker, actor), c.json({})));
  app.post("/v1/resume", async (c) => (await resumeInstance(asker, actor), c.json({})));
  const artefactOf = async (id: string) => {
    const found = await board.readArtefact(ArtefactId.parse(id));
    if (found === undefined) throw new SettError("artefact-not-found", "There is no such artefact.");
    return withCommit(found);
  };
  app.get("/v1/artefacts/:id", async (c) => {
    const artefact = await artefactOf(c.req.param("id"));
    const { payload, ...head } = artefact;
    const made = artefact.claim_id === "" ? undefined : await board.readClaim(ClaimId.parse(artefact.claim_id));
    const grant = made?.grants.find((one) => "artefact_ids" in one && one.artefact_ids.includes(artefact.id));
    return c.json({
      ...head,
      ...verdictOf(artefact),
      payload_bytes: Buffer.byteLength(payload),
      payload_begins: payload.slice(0, 4_000),
      claims: (await claimsAbout(artefact.id)).map(claimView),
      made_by: made === undefined ? null : { claim_id: made.claim.id, grant: grant ?? null },
    });
  });
  app.get("/v1/artefacts/:id/content", async (c) => c.text((await artefactOf(c.req.param("id"))).payload));
  app.get("/v1/artefacts/:id/context", async (c) => {
    const artefact = await artefactOf(c.req.param("id"));
    return c.json({ items: (await board.readArtefacts(artefact.source_artefacts)).map(({ payload: _, ...head }) => head) });
  });
  app.get("/v1/artefacts/:id/diff", async (c) => {
    const { metadata } = await artefactOf(c.req.param("id"));
    return c.text(diffs.get(metadata.commit ?? "") ?? "");
  });
  app.post("/v1/artefacts/:id/retry", async (c) => c.json(await retryFailure(asker, await artefactOf(c.req.param("id")), actor)));
  for (const verdict of ["approve", "reject"] as const)
    app.post(`/v1/artefacts/:id/${verdict}`, async (c) => {
      const body = await c.req.json();
      const judged = await findJudged(board, c.req.param("id"), body.for, suggest);
      const { review } = await judge(board, judged, { feedback: verdict === "reject" ? body.reason : undefined, actor, suggest });
      return c.json({ ...review, payload: undefined }, 201);
    });
  app.post("/v1/questions/:id/answer", async (c) => {
    const result = await postAnswer(board, await artefactOf(c.req.param("id")), (await c.req.json()).text, { actor, suggest });
    if (result.outcome === "closed") throw new SettError("request-refused", result.why);
    return c.json(result.answer, 201);
  });
  app.get("/v1/claims/:id", async (c) => {
    const snapshot = await board.readClaim(ClaimId.parse(c.req.param("id")));
    return snapshot === undefined ? c.json({}, 404) : c.json(claimView(snapshot));
  });
  app.get("/v1/inquiries", async (c) => {
    const items = (await readInquiries(board)).map((one) =>
      one.kind === "question"
        ? { kind: one.kind, id: one.question.id, goal_id: one.question.goal_id, since: one.since, question: one.question }
        : {
            kind: one.kind,
            id: one.artefact.id,
            goal_id: one.artefact.goal_id,
            since: one.since,
            claim_id: one.claim,
            for: one.agent,
            artefact: withCommit(one.artefact as Artefact),
            content: { text: one.content.text, whole: one.content.isWhole },
          },
    );
    return c.json({ items });
  });
  app.get("/v1/agents", async (c) => {
    const situation = await readSituation(board, suggest);
    const events = await board.readEvents("0", 10_000);
    const items = situation.agents.map((agent) => {
      const own = events.filter((event) => event.agent === agent.name);
      const failed = own.filter(({ type }) => type === "grant_failed");
      const queued = situation.open
        .flatMap(({ grants }) => grants)
        .filter((grant) => grant.agent === agent.name && grant.state === "queued").length;
      return {
        ...agentJson(agent, situation),
        kind: agent.human ? "person" : agent.external ? "external" : "container",
        queued,
        bids: agent.bids,
        rates: {
          done: own.filter(({ type }) => type === "grant_done").length,
          failed: failed.length,
          failures_by_reason: failed.length === 0 ? {} : { ToolFailed: failed.length },
        },
      };
    });
    return c.json({ items, next: null });
  });
  app.get("/v1/agents/:name/logs", () => {
    let number = 0;
    let timer: ReturnType<typeof setInterval>;
    return new Response(
      new ReadableStream({
        start(controller) {
          const add = () =>
            controller.enqueue(
              new TextEncoder().encode(
                `{"level":"info","at":"${new Date().toISOString()}","message":"line ${number++} \u001b[31mred\u001b[0m"}\n`,
              ),
            );
          for (let index = 0; index < 200; index++) add();
          timer = setInterval(add, 800);
        },
        cancel: () => clearInterval(timer),
      }),
      { headers: { "content-type": "text/plain; charset=utf-8" } },
    );
  });
  app.get("/v1/events", async (c) => {
    const { goal, type, agent, actor: by, before, limit = "50" } = c.req.query();
    const isWanted = (event: { goal_id?: string | undefined; type: string; agent?: string | undefined; actor: string }) =>
      (goal === undefined || event.goal_id === goal) &&
      (type === undefined || type.split(",").includes(event.type)) &&
      (agent === undefined || event.agent === agent) &&
      (by === undefined || event.actor.startsWith(by));
    if ((c.req.header("accept") ?? "").includes("text/event-stream"))
      return streamSSE(c, async (sse) => {
        let last = c.req.query("after") ?? "$";
        if (last === "$") last = await board.endOfEvents();
        await sse.writeSSE({ event: "ping", data: "{}" });
        while (!sse.aborted && !sse.closed) {
          const events = await board.readEvents(last, 500);
          for (const event of events) await sse.writeSSE({ id: event.id, event: "sett", data: JSON.stringify(event) });
          last = events.at(-1)?.id ?? last;
          await Bun.sleep(10);
        }
      });
    const all = (await board.readEvents(before === undefined ? (c.req.query("after") ?? "0") : "0", 1_000_000)).filter(isWanted);
    const past =
      before === undefined || before === "$"
        ? all
        : all.filter(({ id }) => Number(id.split("-")[0]) < Number(before.split("-")[0]));
    return c.json({ items: before === undefined ? past.slice(0, Number(limit)) : past.slice(-Number(limit)), next: null });
  });
  app.get("*", (c) => {
    const file = page.get(c.req.path);
    if (file === undefined) return c.json({ status: 404, code: "not-found", detail: "Not here." }, 404);
    return new Response(new Uint8Array(file.brotli), {
      headers: {
        "content-type": file.contentType,
        "content-encoding": "br",
        "content-security-policy": csp,
        "x-content-type-options": "nosniff",
      },
    });
  });
  return app;
}
