import { afterAll, beforeAll, expect, test } from "bun:test";
import { openRepository } from "../../../apps/api/repository.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { ApiScene, textAt } from "../../support/api/api-scene.ts";
import { bids, report } from "../../support/cli/sett.ts";
import {
  addLostSubmodule,
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
  write,
} from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";
import { untilStopped } from "../../support/world/tool.ts";

let scene: ApiScene;
let repository: ReturnType<typeof sampleRepository>;

beforeAll(async () => {
  repository = sampleRepository();
  scene = await ApiScene.start(
    {
      coder: {
        ...bids({ on: "GoalDefined", bid: "exclusive" }),
        tool: async ({ target_artefact: { payload }, additional_context }, signal) => {
          if (payload === "fail")
            return {
              structural_type: "Failure",
              artefact_payload: "No",
              summary: "It cannot be done",
            };
          if (payload === "wait") return await untilStopped(signal);
          const answer = additional_context.find(
            ({ structural_type }) => structural_type === "Answer",
          );
          if (payload === "ask" && answer === undefined)
            return { structural_type: "Question", payload: "Which colour?" };
          return report("Report", { artefact_payload: `made ${answer?.payload ?? ""}` });
        },
      },
      maintainer: {
        ...{ human: true, role: "maintainer", people: [{ name: "approver" }] },
        ...bids({ on: "Report", bid: "review" }),
      },
    },
    { deps: { repository: await openRepository(repository.path, hostEnv) } },
  );
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  repository[Symbol.dispose]();
});

async function post(text: string): Promise<string> {
  const posted = await scene.post("/v1/goals", { text });
  expect(posted.status).toBe(201);
  return textAt(posted, "id");
}

const createdBy = async (id: string) =>
  (await scene.clan.board.readEvents("0", 10_000)).filter(
    ({ artefact_id, type }) => artefact_id === id && type === "artefact_created",
  );

const lastCall = async () =>
  (await scene.clan.board.readEventsBefore(undefined, 100)).find(
    ({ type }) => type === "api_called",
  );

test("a goal is stated at the commit of HEAD, and is on record with the name of the token", async () => {
  const posted = await scene.post("/v1/goals", { text: "Write\nit" }, { as: "forager" });
  expect(posted).toMatchObject({
    status: 201,
    body: { commit: repository.base, summary: "Write" },
  });
  const id = textAt(posted, "id");
  const events = await scene.clan.board.readEvents("0", 1_000);
  expect(
    events.find(({ type, artefact_id }) => type === "artefact_created" && artefact_id === id),
  ).toMatchObject({
    actor: "person:forager",
  });
  expect(await lastCall()).toMatchObject({
    actor: "person:forager",
    goal_id: id,
    data: { method: "POST", path: "/v1/goals", status: 201, token: "forager" },
  });
});

test("a goal may name its commit, also one that is not at HEAD, and is stated once under its own id", async () => {
  const later = commitFiles(repository.path, { "later.txt": "later" });
  const id = crypto.randomUUID();
  const first = await scene.post("/v1/goals", { text: "fail", commit: repository.base, id });
  expect(first.body).toEqual({ id, commit: repository.base, summary: "fail", lacking: [] });
  expect((await scene.post("/v1/goals", { text: "fail", id })).body).toEqual({
    id,
    commit: repository.base,
    summary: "fail",
    lacking: [],
  });
  expect(await scene.post("/v1/goals", { text: "other", id })).toMatchObject({
    status: 422,
    body: { code: "usage" },
  });
  expect(later).not.toBe(repository.base);
  expect(await scene.post("/v1/goals", { text: "x", commit: "0".repeat(40) })).toMatchObject({
    status: 422,
    body: { detail: `The repository does not have commit ${"0".repeat(40)}.` },
  });
});

nightly("a goal begins at a branch, a tag or a commit before HEAD, by their names", async () => {
  const { path } = repository;
  const before = git(path, "rev-parse", "HEAD");
  git(path, "branch", "feature/one");
  git(path, "tag", "v1", "-m", "One");
  commitFiles(path, { "newest.txt": "newest" });
  for (const name of ["feature/one", "v1", "HEAD~1", before.slice(0, 9)])
    expect((await scene.post("/v1/goals", { text: "Write it", commit: name })).body).toMatchObject({
      commit: before,
    });
  expect(await scene.post("/v1/goals", { text: "x", commit: "feature/two" })).toMatchObject({
    status: 422,
    body: { detail: "This repository has no commit `feature/two`." },
  });
  for (const name of ["--all", "--output=x", "@{-9}", "@{upstream}", "a..b", "HEAD~99"])
    expect(await scene.post("/v1/goals", { text: "x", commit: name })).toMatchObject({
      status: 422,
      body: { code: "usage" },
    });
  for (const name of ["", " ", "a\u0000b", "a b", "HEAD:newest.txt", "HEAD^{tree}"])
    expect((await scene.post("/v1/goals", { text: "x", commit: name })).status).toBe(422);
  // Over a long history git would look for these for hours.
  for (const name of [":/newest", "HEAD^{/newest}", ":/(a|aa)+$", "HEAD^{/(a|aa)+$}", "HEAD^{/W"])
    expect(await scene.post("/v1/goals", { text: "x", commit: name })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("must be a hash, a branch, a tag") },
    });
  git(path, "reset", "-q", "--hard", "HEAD~1");
});

test("a goal says what agents do not find of its commit", async () => {
  const { path } = repository;
  const commit = addLostSubmodule(path);
  git(path, "reset", "-q", "--hard", "HEAD~1");
  expect((await scene.post("/v1/goals", { text: "Write it", commit })).body).toMatchObject({
    commit,
    lacking: [
      expect.stringMatching(
        /^A submodule is an empty folder for agents: part .*`git submodule update --init --recursive`/,
      ),
    ],
  });
});

test("a goal is refused while the working tree has changes that agents would not see", async () => {
  write(repository.path, { "new.txt": "new" });
  const refused = await scene.post("/v1/goals", { text: "Write it" });
  expect(refused).toMatchObject({ status: 409, body: { code: "workspace-dirty" } });
  expect(textAt(refused, "detail")).toContain("new.txt");
  commitFiles(repository.path, {});
});

test("an empty goal is refused with the sentence of the command line", async () => {
  expect(await scene.post("/v1/goals", { text: "  " })).toMatchObject({
    status: 422,
    body: { detail: "The goal is empty.", code: "goal-invalid" },
  });
  expect(await scene.post("/v1/goals", '{"text":"\\ud800"}')).toMatchObject({
    status: 422,
    body: { code: "goal-invalid" },
  });
});

test("a question is answered once, and who comes later learns who was faster", async () => {
  const goal = await post("ask");
  const question = await waitFor("the question", async () => {
    const { body } = await scene.get(`/v1/questions?goal=${goal}`);
    return (body as { items: { id: string }[] }).items[0];
  });
  expect(question).toMatchObject({ kind: "question", goal_id: goal, text: "Which colour?" });
  const answered = await scene.post(
    `/v1/questions/${question.id.slice(0, 8)}/answer`,
    { text: "Green" },
    { as: "answerer" },
  );
  expect(answered).toMatchObject({
    status: 201,
    body: { structural_type: "Answer", source_artefacts: [question.id] },
  });
  const late = await scene.post(`/v1/questions/${question.id}/answer`, { text: "Red" });
  expect(late).toMatchObject({ status: 409, body: { code: "blackboard-refused" } });
  expect(textAt(late, "detail")).toContain("was answered by answerer");
  await waitFor("the report", async () => {
    const { body } = await scene.get(`/v1/artefacts?goal=${goal}&type=Report`);
    return (body as { items: unknown[] }).items.length === 1;
  });
  const none = await scene.post(`/v1/questions/${goal}/answer`, { text: "Green" });
  expect(none).toMatchObject({ status: 422, body: { code: "usage" } });
  expect(await scene.post(`/v1/questions/${question.id}/answer`, { text: "" })).toMatchObject({
    status: 422,
    body: { detail: "The answer is empty." },
  });
});

async function toApprove(): Promise<string> {
  const goal = await post(`Write ${crypto.randomUUID()}`);
  return await waitFor("the approval", async () => {
    const { body } = await scene.get(`/v1/approvals?goal=${goal}`);
    return (body as { items: { id: string }[] }).items[0]?.id;
  });
}

test("an artefact is approved once, for the person who must judge it", async () => {
  const id = await toApprove();
  expect(await scene.post(`/v1/artefacts/${id}/approve`, { for: "coder" })).toMatchObject({
    status: 409,
    body: { code: "request-refused" },
  });
  // Its token may approve, and its person is not one who speaks for the maintainer.
  const other = await scene.post(`/v1/artefacts/${id}/approve`, { for: "maintainer" });
  expect(other).toMatchObject({ status: 409, body: { code: "request-refused" } });
  expect(textAt(other, "detail")).toContain(
    "waits for maintainer (approver), and all is none of them.",
  );
  const approved = await scene.post(
    `/v1/artefacts/${id.slice(0, 8)}/approve`,
    { for: "maintainer", reason: "Good work" },
    { as: "approver" },
  );
  expect(approved).toMatchObject({
    status: 201,
    body: {
      structural_type: "Review",
      produced_by_agent: "maintainer",
      metadata: {
        by: "approver",
        comment: "Good work",
        summary: "Approved by approver: Good work",
      },
    },
  });
  const again = await scene.post(
    `/v1/artefacts/${id}/reject`,
    { reason: "No" },
    { as: "approver" },
  );
  expect(again).toMatchObject({ status: 409, body: { code: "request-refused" } });
  expect(textAt(again, "detail")).toContain(
    "has a verdict already: approver, for maintainer, approved it",
  );
});

test("an artefact is rejected with a reason, which its maker gets", async () => {
  const id = await toApprove();
  expect(await scene.post(`/v1/artefacts/${id}/reject`, {})).toMatchObject({ status: 422 });
  expect(await scene.post(`/v1/artefacts/${id}/reject`, { reason: " " })).toMatchObject({
    status: 422,
    body: { detail: "The reason is empty." },
  });
  const rejected = await scene.post(
    `/v1/artefacts/${id}/reject`,
    { reason: "The date is wrong" },
    { as: "approver" },
  );
  expect(rejected).toMatchObject({
    status: 201,
    body: { metadata: { summary: "Rejected by approver: The date is wrong" } },
  });
  const review = await scene.get(`/v1/artefacts/${textAt(rejected, "id")}`);
  expect(review.body).toMatchObject({
    verdict: "feedback",
    payload_begins: '{"reason":"The date is wrong"}',
    made_by: { grant: { agent: "maintainer" } },
  });
});

test("a text and a commit are posted in a goal, once for each key, and on record with the token", async () => {
  const goal = await post("ask");
  const headers = { "idempotency-key": "note-1" };
  const note = { type: "Note", text: "Two\nmetres", from: [goal.slice(0, 8)] };
  const posted = await scene.post("/v1/artefacts", note, { as: "poster", headers });
  expect(posted).toMatchObject({
    status: 201,
    body: {
      ...{ type: "Note", version: 1, goal_id: goal, source_artefacts: [goal], claim_id: "" },
      ...{ produced_by_role: "user", metadata: { summary: "Two" } },
    },
  });
  const id = textAt(posted, "id");
  const repeated = await scene.post("/v1/artefacts", note, { as: "poster", headers });
  expect(repeated.body).toEqual(posted.body);
  expect(await createdBy(id)).toMatchObject([{ actor: "person:poster" }]);
  const commit = commitFiles(repository.path, { "door.txt": "green\n" }, "Paint the door");
  const version = { type: "Note", commit, version_of: id };
  expect(await scene.post("/v1/artefacts", version, { as: "poster" })).toMatchObject({
    status: 201,
    body: { version: 2, source_artefacts: [id], metadata: { commit, summary: "Paint the door" } },
  });
  const refusals: [object, number, string][] = [
    [{ type: "Note", from: [goal] }, 422, "either `text` or `commit`"],
    [{ type: "Note", text: "x" }, 422, "which goal it belongs to"],
    [{ type: "Note", text: "x", version_of: id }, 422, "version 2 has replaced it"],
    [{ type: "GoalDefined", text: "x", from: [goal] }, 422, "which is Sett's own"],
    [{ type: "Note", commit: "0".repeat(40), from: [goal] }, 422, "does not have commit"],
  ];
  for (const [body, status, detail] of refusals)
    expect(await scene.post("/v1/artefacts", body, { as: "poster" })).toMatchObject({
      status,
      body: { detail: expect.stringContaining(detail) },
    });
});

nightly("a goal is cancelled with the work on it, and only once", async () => {
  const goal = await post("wait");
  await waitFor(
    "the work",
    async () => textAt(await scene.get(`/v1/goals/${goal}`), "waiting_for.0.kind") === "work",
  ).catch(() => undefined);
  const cancelled = await scene.post(`/v1/goals/${goal}/cancel`, {}, { as: "controller" });
  expect(cancelled).toMatchObject({
    status: 200,
    body: { id: goal, state: "cancelled", claims: 1, unreadable: [] },
  });
  expect((await scene.get(`/v1/goals/${goal}`)).body).toMatchObject({ state: "cancelled" });
  const again = await scene.post(`/v1/goals/${goal}/cancel`);
  expect(again).toMatchObject({ status: 409, body: { code: "request-refused" } });
  expect(textAt(again, "detail")).toContain("is cancelled: there is no work to cancel");
});

async function failed(): Promise<{ id: string; claim_id: string }> {
  const goal = await post("fail");
  return await waitFor("the Failure", async () => {
    const { body } = await scene.get(`/v1/artefacts?goal=${goal}&structural_type=Failure`);
    return (body as { items: Artefact[] }).items[0];
  });
}

nightly("what has failed is tried again by its Failure or by its claim, once", async () => {
  const { id } = await failed();
  const retried = await scene.post(`/v1/artefacts/${id}/retry`);
  expect(retried).toMatchObject({ status: 200, body: { failure: id } });
  expect(await scene.post(`/v1/artefacts/${id}/retry`)).toMatchObject({
    status: 409,
    body: { code: "request-refused" },
  });
  const other = await failed();
  const byClaim = await waitFor("the claim to end", async () => {
    const answer = await scene.post(`/v1/claims/${other.claim_id}/retry`);
    return answer.status === 200 ? answer : undefined;
  });
  expect(byClaim.body).toMatchObject({ failure: other.id });
  const atWork = await post("wait");
  expect(await scene.post(`/v1/artefacts/${atWork}/retry`)).toMatchObject({
    status: 422,
    body: { code: "usage" },
  });
});

test("the instance is paused and resumed by name", async () => {
  const paused = await scene.post("/v1/pause", {}, { as: "controller" });
  expect(paused).toMatchObject({ status: 200, body: { paused: { by: "person:controller" } } });
  expect((await scene.get("/v1/instance")).body).toMatchObject({
    paused: { by: "person:controller" },
  });
  expect(await scene.ask("POST", "/v1/resume")).toMatchObject({
    status: 200,
    body: { paused: null },
  });
});

test("the budget of a goal is raised, also that of an agent in it, once a gateway has run", async () => {
  const goal = await post("wait");
  expect(await scene.post(`/v1/goals/${goal}/budget`, { add: "5usd" })).toMatchObject({
    status: 409,
    body: {
      detail: "No gateway has run in this sett, so goals cost nothing, and have no limit to raise.",
    },
  });
  const started_at = new Date().toISOString();
  await scene.clan.board.announceGateway({ started_at, goal_budget: {}, agents: {}, models: {} });
  // It is a right of its own: who may answer questions may not raise what they cost.
  expect(
    (await scene.post(`/v1/goals/${goal}/budget`, { add: "5usd" }, { as: "answerer" })).status,
  ).toBe(403);
  const raised = await scene.post(`/v1/goals/${goal}/budget`, { add: "5usd, 10 calls" });
  expect(raised).toMatchObject({
    status: 200,
    body: { goal_id: goal, added: { usd: 5, calls: 10 } },
  });
  expect(await scene.post(`/v1/goals/${goal}/budget`, { add: "many" })).toMatchObject({
    status: 422,
    body: { detail: "`add` takes an amount: `many` is no amount." },
  });
  const unknown = await scene.post(`/v1/goals/${goal}/budget`, { add: "1usd", agent: "codr" });
  expect(unknown).toMatchObject({
    status: 404,
    body: { code: "agent-not-found", hint: "Did you mean `coder`?" },
  });
  expect(
    (await scene.post(`/v1/goals/${goal}/budget`, { add: "1usd", agent: "coder" })).status,
  ).toBe(200);
  expect((await scene.post(`/v1/goals/${goal}/cancel`)).status).toBe(200);
  expect(await scene.post(`/v1/goals/${goal}/budget`, { add: "1usd" })).toMatchObject({
    status: 409,
  });
});

test("a write is carried out once for each key, and its first answer comes again", async () => {
  const headers = { "idempotency-key": "one" };
  const first = await scene.post("/v1/goals", { text: "Write it" }, { headers });
  const again = await scene.post("/v1/goals", { text: "Write it" }, { headers });
  expect(again).toMatchObject({ status: 201, text: first.text });
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(first.headers.has("idempotency-replayed")).toBe(false);
  const other = await scene.post("/v1/goals", { text: "Another" }, { headers });
  expect(other).toMatchObject({
    status: 422,
    body: { detail: "This `Idempotency-Key` belongs to another request." },
  });
  const ofOther = await scene.post("/v1/goals", { text: "Write it" }, { headers, as: "forager" });
  expect(textAt(ofOther, "id")).not.toBe(textAt(first, "id"));
  expect(
    await scene.post("/v1/goals", { text: "x" }, { headers: { "idempotency-key": "with spaces" } }),
  ).toMatchObject({
    status: 422,
  });
});

test("several requests with one key at the same time make one goal", async () => {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => scene.post("/v1/goals", { text: "At once" }, { headers })),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter((answer) => !answer.headers.has("idempotency-replayed"))).toHaveLength(1);
});

test("a write that was refused may be sent again with its key", async () => {
  const headers = { "idempotency-key": crypto.randomUUID() };
  write(repository.path, { "dirty.txt": "new" });
  expect((await scene.post("/v1/goals", { text: "Later" }, { headers })).status).toBe(409);
  commitFiles(repository.path, {});
  expect((await scene.post("/v1/goals", { text: "Later" }, { headers })).status).toBe(201);
});

test("a body that is no JSON is on record with the answer that its client got", async () => {
  const answer = await scene.post("/v1/goals", '{"text');
  expect(answer.status).toBe(422);
  expect(await lastCall()).toMatchObject({ data: { path: "/v1/goals", status: 422 } });
});
