import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { ApiScene, textAt } from "../../support/api/api-scene.ts";
import { bids, report } from "../../support/cli/sett.ts";
import { waitFor } from "../../support/wait-for.ts";

let scene: ApiScene;
let goal: Artefact;
let made: Artefact;
let failure: Artefact;

/** A goal whose report a person must approve, and another one that fails. */
beforeAll(async () => {
  scene = await ApiScene.start({
    coder: {
      ...bids({ on: "GoalDefined", bid: "exclusive" }),
      tool: async ({ target_artefact }) => {
        if (target_artefact.payload === "fail")
          return {
            structural_type: "Failure",
            artefact_payload: "No",
            summary: "It cannot be done",
          };
        return report("Report", { artefact_payload: "x".repeat(5_000) });
      },
    },
    reviewer: {
      ...bids({ on: "Report", bid: "review" }),
      tool: async () => ({ structural_type: "Review", payload: "{}" }),
    },
    maintainer: { human: true, role: "maintainer", ...bids({ on: "Report", bid: "review" }) },
  });
  goal = await scene.clan.postGoal("Write it", { metadata: { summary: "Write it" } });
  made = await scene.clan.made(goal, ({ type }) => type === "Report");
  await waitFor(
    "the approval",
    async () => textAt(await scene.get("/v1/approvals"), "items.0.id"),
    { everyMs: 50 },
  ).catch(() => undefined);
  const failed = await scene.clan.postGoal("fail", { metadata: { summary: "Fail" } });
  failure = await scene.clan.made(failed, ({ structural_type }) => structural_type === "Failure");
  // The goal's claim ends after its failure is on record.
  await waitFor(
    "the end of the failed goal",
    async () => textAt(await scene.get(`/v1/goals/${failed.id}`), "state") === "failed",
    { everyMs: 50 },
  );
});

afterAll(async () => await scene[Symbol.asyncDispose]());

test("the health needs no token, and says what is wrong", async () => {
  expect(await scene.get("/healthz", { as: "stranger" })).toMatchObject({
    status: 200,
    body: { service: "api", ok: true },
  });
});

test("the instance says who asks, what he may do, and what there is", async () => {
  const { status, body } = await scene.get("/v1/instance", { as: "answerer" });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    instance: scene.clan.board.instance,
    me: {
      name: "answerer",
      actor: "person:answerer",
      rights: ["read", "answer"],
      judges_for: [],
    },
    paused: null,
    orchestrator: { alive: true },
    gateway: false,
    repository: null,
    counts: { goals: 2, open_questions: 0, open_approvals: 1, open_claims: 1 },
  });
});

test("goals are listed with their state, the newest first, and can be filtered", async () => {
  const all = await scene.get("/v1/goals");
  expect(all.body).toMatchObject({
    items: [
      { summary: "Fail", state: "failed", failures: 1 },
      { id: goal.id, state: "waiting" },
    ],
    next: null,
  });
  const waiting = await scene.get("/v1/goals?state=waiting,running");
  expect(waiting.body).toMatchObject({
    items: [{ id: goal.id, open_claims: 1, waiting_for: 1, artefacts: 3 }],
    next: null,
  });
  const oldest = await scene.get("/v1/goals?order=asc&limit=1");
  expect(oldest.body).toMatchObject({ items: [{ id: goal.id }] });
  const next = await scene.get(`/v1/goals?order=asc&limit=1&cursor=${textAt(oldest, "next")}`);
  expect(next.body).toMatchObject({ items: [{ summary: "Fail" }], next: null });
});

test("a goal is found by the beginning of its id, with what it waits for and why", async () => {
  const { body } = await scene.get(`/v1/goals/${goal.id.slice(0, 8)}`);
  const byMaintainer = { agent: "maintainer", word: "review" };
  expect(body).toMatchObject({
    id: goal.id,
    state: "waiting",
    text: "Write it",
    commit: goal.metadata.commit ?? null,
    open_claims: [
      {
        artefact_id: made.id,
        status: "pending_review",
        bids: expect.arrayContaining([byMaintainer]),
      },
    ],
    waiting_for: [{ kind: "approval", agent: "maintainer", artefact: made.id }],
    failures: [],
  });
  const failed = await scene.get(`/v1/goals/${failure.goal_id}`);
  expect(failed.body).toMatchObject({
    state: "failed",
    failures: [{ id: failure.id, by: "coder" }],
  });
});

test("the result of a goal says what there is so far, and who has checked it", async () => {
  const { status, body } = await scene.get(`/v1/goals/${goal.id}/result`);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      ...{ state: "waiting", ended_at: null, merge: null, commits: [] },
      others: [{ artefact: made.id, type: "Report", by: "coder" }],
      checks: [{ agent: "reviewer", outcome: "passed", about: made.id }],
    },
  });
  expect((await scene.get("/v1/goals/11111111/result")).status).toBe(404);
});

test("the graph of a goal has its claims, and other forms of it", async () => {
  const graph = await scene.get(`/v1/goals/${goal.id}/graph`);
  expect(graph.body).toMatchObject({
    goal: goal.id,
    edges: [{ from: goal.id, to: made.id, kind: "derivative" }, {}],
  });
  expect(graph.text).not.toContain("x".repeat(100));
  expect((await scene.get(`/v1/goals/${goal.id}/graph?format=mermaid`)).text).toStartWith(
    "flowchart",
  );
  expect((await scene.get(`/v1/goals/${goal.id}/graph?format=dot`)).text).toStartWith("digraph");
  const picture = await scene.get(`/v1/goals/${goal.id}/graph?format=svg`);
  expect(picture.headers.get("content-type")).toBe("image/svg+xml");
  expect(picture.text.match(/class="node"/g)).toHaveLength(
    (graph.body as { nodes: unknown[] }).nodes.length,
  );
});

test("the costs of a goal are there without any call of a model", async () => {
  const { body } = await scene.get(`/v1/goals/${goal.id}/costs`);
  expect(body).toMatchObject({
    goal_id: goal.id,
    gateway: false,
    spent: { usd: 0, calls: 0 },
    agents: [],
  });
});

test("artefacts are listed without payloads, and by goal, type, kind, agent and thread", async () => {
  const ids = async (query: string) => {
    const { body, text } = await scene.get(`/v1/artefacts?${query}`);
    expect(text).not.toContain("xxxxxxxxxx");
    return (body as { items: { id: string }[] }).items.map(({ id }) => id);
  };
  const all = await ids("");
  expect(all).toContain(made.id);
  expect(await ids("order=asc")).toEqual(all.toReversed());
  expect(await ids(`goal=${goal.id.slice(0, 8)}&order=asc`)).toHaveLength(3);
  expect(await ids("type=Report,Nothing")).toEqual([made.id]);
  expect(await ids("structural_type=Failure")).toEqual([failure.id]);
  expect(await ids("agent=coder")).toEqual([failure.id, made.id]);
  expect(await ids(`thread=${made.logical_id}`)).toEqual([made.id]);
  const reviews = await scene.get("/v1/artefacts?structural_type=Review");
  expect(reviews.body).toMatchObject({
    items: [{ verdict: "approval", produced_by_agent: "reviewer" }],
  });
});

test("an artefact is shown with its beginning, the claims about it, and the grant that made it", async () => {
  const { body } = await scene.get(`/v1/artefacts/${made.id.slice(0, 10)}`);
  expect(body).toMatchObject({
    id: made.id,
    payload_bytes: 5_000,
    payload_begins: "x".repeat(4_000),
    claims: [{ artefact_id: made.id, waiting_for: [{ kind: "approval" }] }],
    made_by: {
      claim_id: made.claim_id,
      grant: { agent: "coder", state: "done", artefact_ids: [made.id] },
    },
  });
  expect((await scene.get(`/v1/artefacts/${goal.id}`)).body).toMatchObject({ made_by: null });
});

test("the content comes byte for byte as text that no browser runs, and is not sent again to one that has it", async () => {
  const { text, headers } = await scene.get(`/v1/artefacts/${made.id}/content`);
  expect(text).toBe("x".repeat(5_000));
  expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cache-control")).toBe("private, no-cache");
  const again = await scene.get(`/v1/artefacts/${made.id}/content`, {
    headers: { "if-none-match": headers.get("etag") ?? "" },
  });
  expect(again).toMatchObject({ status: 304, text: "" });
});

test("the context is what the agent was given, the target first", async () => {
  expect((await scene.get(`/v1/artefacts/${made.id}/context`)).body).toMatchObject({
    items: [{ id: goal.id }],
  });
  expect((await scene.get(`/v1/artefacts/${goal.id}/context`)).body).toEqual({ items: [] });
});

test("why an artefact is there is answered from who asked to who has reviewed it", async () => {
  const { body } = await scene.get(`/v1/artefacts/${made.id.slice(0, 8)}/why`);
  expect(body).toMatchObject({
    artefact: { id: made.id, by: "agent:coder", claim: made.claim_id },
    goal: { id: goal.id, text: "Write it" },
    because: { about: { id: goal.id }, rejections: [] },
    bids: expect.arrayContaining([{ agent: "coder", bid: "exclusive" }]),
    grant: { agent: "coder", phase: "exclusive", attempt: 1 },
    reviews: [{ for: "reviewer", approves: true, meaning: null }],
    sealed: null,
  });
  expect((await scene.get(`/v1/artefacts/${crypto.randomUUID()}/why`)).status).toBe(404);
});

test("an artefact without a commit has no diff, and without a gateway an empty transcript", async () => {
  expect(await scene.get(`/v1/artefacts/${made.id}/diff`)).toMatchObject({
    status: 404,
    body: { code: "artefact-not-found" },
  });
  expect((await scene.get(`/v1/artefacts/${made.id}/transcript`)).body).toEqual({
    artefact_id: made.id,
    calls: [],
    conversations: [],
  });
});

test("open claims are listed, all claims too, and one is read by its id or the beginning of it", async () => {
  const open = await scene.get("/v1/claims");
  expect(open.body).toMatchObject({ items: [{ artefact_id: made.id }], next: null });
  const all = await scene.get(`/v1/claims?open=false&goal=${goal.id}`);
  expect(all.body).toMatchObject({
    items: [{ artefact_id: made.id }, { artefact_id: goal.id, status: "complete" }],
    next: null,
  });
  const id = textAt(open, "items.0.id");
  expect((await scene.get(`/v1/claims/${id.slice(0, 8)}`)).body).toMatchObject({
    id,
    waiting_for: [{ kind: "approval" }],
  });
  expect((await scene.get(`/v1/claims/${textAt(all, "items.1.id")}`)).body).toMatchObject({
    status: "complete",
    stage: null,
  });
  expect(await scene.get("/v1/claims/00000000")).toMatchObject({ status: 404 });
});

test("what waits for a person is listed, also by kind and goal", async () => {
  const approval = {
    kind: "approval",
    id: made.id,
    goal_id: goal.id,
    for: "maintainer",
    content: { text: "x".repeat(4_000), whole: false },
  };
  expect((await scene.get("/v1/inquiries")).body).toMatchObject({ items: [approval] });
  expect((await scene.get(`/v1/approvals?goal=${goal.id}`)).body).toMatchObject({
    items: [approval],
  });
  expect((await scene.get(`/v1/approvals?goal=${failure.goal_id}`)).body).toEqual({
    items: [],
    next: null,
  });
  expect((await scene.get("/v1/questions")).body).toEqual({ items: [], next: null });
});

test("agents are listed with their kind, their rates and the reasons of their failures", async () => {
  const { body } = await scene.get("/v1/agents");
  expect(body).toMatchObject({
    items: [
      {
        name: "coder",
        kind: "container",
        queued: 0,
        rates: {
          ...{ done: 1, failed: 1, failures_by_reason: { ToolExecutionFailure: 1 }, since: null },
          ...{ median_ms: expect.any(Number), usd_30_days: 0, calls_30_days: 0 },
        },
      },
      { name: "maintainer", kind: "person", state: "person" },
      { name: "reviewer", rates: { done: 1, failed: 0, failures_by_reason: {} } },
    ],
  });
});

test("without a container runtime there are no logs, and the answer says so", async () => {
  expect(await scene.get("/v1/agents/coder/logs")).toMatchObject({
    status: 503,
    body: { code: "not-ready" },
  });
});

test("the log is read in pages from both ends, with filters", async () => {
  const first = await scene.get("/v1/events?limit=2");
  expect(first.body).toMatchObject({
    items: [{ type: "agent_registered" }, { type: "agent_registered" }],
  });
  const second = await scene.get(`/v1/events?limit=1&after=${textAt(first, "next")}`);
  expect(textAt(second, "items.0.id") > textAt(first, "items.1.id")).toBe(true);
  const failed = await scene.get("/v1/events?type=grant_failed&agent=coder&actor=agent:");
  expect(failed.body).toMatchObject({
    items: [{ type: "grant_failed", agent: "coder" }],
    next: null,
  });
  const ofGoal = await scene.get(`/v1/events?goal=${goal.id.slice(0, 8)}&type=artefact_created`);
  expect(ofGoal.body).toMatchObject({
    items: [{ artefact_id: goal.id }, { artefact_id: made.id }, {}],
    next: null,
  });
  const newest = await scene.get("/v1/events?before=$&limit=3");
  const older = await scene.get(`/v1/events?before=${textAt(newest, "next")}&limit=1`);
  expect(textAt(older, "items.0.id") < textAt(newest, "items.0.id")).toBe(true);
  expect((await scene.get("/v1/events?after=$")).body).toEqual({ items: [], next: null });
});

test("an answer that is known already is not sent again", async () => {
  const first = await scene.get("/v1/goals");
  const etag = first.headers.get("etag") ?? "";
  expect(
    await scene.get("/v1/goals", { headers: { "if-none-match": `"other", ${etag}` } }),
  ).toMatchObject({
    status: 304,
    text: "",
  });
  expect((await scene.get("/v1/goals", { headers: { "if-none-match": '"other"' } })).status).toBe(
    200,
  );
  expect((await scene.ask("HEAD", "/v1/goals")).headers.get("etag")).toBe(etag);
});

test("the document of the API is not sent again, either", async () => {
  const etag = (await scene.get("/v1/openapi.json", { as: "stranger" })).headers.get("etag") ?? "";
  expect(etag).toMatch(/^"[\w-]{27}"$/);
  const again = await scene.get("/v1/openapi.json", {
    as: "stranger",
    headers: { "if-none-match": etag },
  });
  expect(again).toMatchObject({ status: 304, text: "" });
});

test("a stream of events goes forwards alone, and says so", async () => {
  const headers = { accept: "text/event-stream" };
  expect(await scene.get("/v1/events?before=$", { headers })).toMatchObject({
    status: 422,
    body: { detail: "`before` cannot be used with a stream, which goes forwards alone." },
  });
});

test("what a person has just written is in the next list", async () => {
  for (let count = 0; count < 20; count += 1) {
    const posted = await scene.clan.postGoal("fail", { metadata: { summary: `Goal ${count}` } });
    expect(textAt(await scene.get("/v1/goals?limit=1"), "items.0.id")).toBe(posted.id);
    await scene.clan.board.logEvent(
      { type: "cancel_requested", goal_id: posted.goal_id },
      "person:test",
    );
  }
});

test("a goal that a trigger has stated has its name", async () => {
  const [first, second] = await scene.clan.board.listGoals();
  if (first === undefined || second === undefined) throw new Error("There are goals.");
  const order = { mark: "trigger", value: "nightly", actor: "trigger:nightly" } as const;
  await scene.clan.board.recordTrigger({
    ...{ ...order, record: { goal: first } },
    event: {
      type: "trigger_fired",
      goal_id: first,
      data: { kind: "cron", cause: "2026-11-24T02:00:00.000Z" },
    },
  });
  expect((await scene.get(`/v1/goals/${first}`)).body).toMatchObject({ trigger: "nightly" });
  expect((await scene.get(`/v1/goals/${second}`)).body).toMatchObject({
    ...{ trigger: null, person: "test" },
  });
  expect((await scene.get("/v1/goals?order=asc&limit=1")).body).toMatchObject({
    items: [{ id: first, trigger: "nightly" }],
  });
});

test("what is wrong is said in plain words, and advice is about requests", async () => {
  const refused = async (path: string) => (await scene.get(path)).body;
  expect(await refused("/v1/goals?limit=0")).toMatchObject({
    detail: "The query is wrong: `limit` must be at least 1.",
  });
  expect(await refused("/v1/goals?limit=many&order=up&more=1")).toMatchObject({
    detail:
      "The query is wrong: `order` must be one of asc, desc; `limit` must be a number; it has what is not known: `more`.",
  });
  expect(await refused("/v1/artefacts/ffffffff")).toMatchObject({
    detail: "There is no artefact ffffffff.",
    hint: "`GET /v1/artefacts` lists the ids.",
  });
  expect(await refused("/v1/goals/ffffffff")).toMatchObject({
    detail: "There is no goal ffffffff.",
    hint: "`GET /v1/goals` lists the goals.",
  });
  const { body } = await scene.post("/v1/goals", {});
  expect(body).toMatchObject({
    detail: "The body is wrong: `text` is missing: it must be a text.",
  });
  expect((await scene.post("/v1/goals", { text: " " })).body).toMatchObject({
    detail: "The goal is empty.",
    hint: 'Say what is to be done: `text`: "Write the changelog"',
  });
});

test("what was erased is shown so from then on, also where it was read before", async () => {
  const path = `/v1/artefacts/${failure.id}`;
  expect(textAt(await scene.get(path), "metadata.summary")).toContain("`artefact_type` is missing");
  const { etag = "" } = Object.fromEntries((await scene.get(`${path}/content`)).headers);
  const { id, goal_id: goal } = failure;
  const erased = { by: "person:Ada", at: failure.created_at, reason: "Why", sha256: "" };
  const metadata = { summary: "erased", erased };
  const event = { type: "artefact_erased", goal_id: goal, artefact_id: id } as const;
  expect(
    await scene.clan.board.eraseArtefacts({
      ...{ goal, actor: "person:Ada" },
      erasures: [{ id, metadata, event }],
    }),
  ).toEqual({ outcome: "erased", count: 1 });
  await waitFor(
    "the erasure to be shown",
    async () => textAt(await scene.get(path), "metadata.summary") === "erased",
    { everyMs: 50 },
  );
  expect((await scene.get(path)).body).toMatchObject({ metadata: { erased } });
  const content = await scene.get(`${path}/content`, { headers: { "if-none-match": etag } });
  expect(content).toMatchObject({ status: 200, text: "" });
});
