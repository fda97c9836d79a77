// Several people approve over HTTP and through assistants: each learns how far it is, who may be
// next, and why an approval of their own would not count.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { openRepository } from "../../../apps/api/repository.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { ApiScene, type TokenName, textAt } from "../../support/api/api-scene.ts";
import { bids, report } from "../../support/cli/sett.ts";
import { hostEnv, sampleRepository } from "../../support/git/sample-repository.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Member } from "../../support/world/clan.ts";

let scene: ApiScene;
let here: ReturnType<typeof sampleRepository>;

beforeAll(async () => {
  here = sampleRepository();
  const members: Record<string, Member> = {
    planner: { ...bids({ on: "GoalDefined", bid: "exclusive" }), tool: () => report("Plan") },
    owner: {
      ...{ human: true, role: "owner", approvals: 2, not_by: ["poster"] },
      people: [
        { name: "ada", email: "ada@example.org" },
        ...[{ name: "approver" }, { name: "reviewer" }, { name: "all" }],
      ],
      ...bids({ on: "Plan", bid: "review" }),
    },
  };
  const repository = await openRepository(here.path, hostEnv);
  scene = await ApiScene.start(members, { deps: { repository } });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  here[Symbol.dispose]();
});

/** A plan that waits for its people, in a goal that the token `all` has posted. */
async function waitingPlan(): Promise<Artefact> {
  const goal = textAt(await scene.post("/v1/goals", { text: "Plan" }), "id");
  const plan = await scene.clan.made({ goal_id: goal } as never, ({ type }) => type === "Plan");
  await waitFor("the plan to wait", () => listed(plan, "all"));
  return plan;
}

const approve = (plan: Artefact, as: TokenName) =>
  scene.post(`/v1/artefacts/${plan.id}/approve`, {}, { as });

async function listed(plan: Artefact, as: TokenName, list = "approvals"): Promise<unknown> {
  const { body } = await scene.get(`/v1/${list}?goal=${plan.goal_id}`, { as });
  return (body as { items: unknown[] }).items[0];
}

const excluded =
  "The approval of all does not count: `not_by` of owner in sett.yml leaves out people who had a part in this work (poster).";

test("the first approval says that another is needed, and of whom, and none counts twice", async () => {
  const plan = await waitingPlan();
  const none = { needed: 2, by: [], not_by: ["all"] };
  const three = ["ada", "approver", "reviewer"];
  expect(await listed(plan, "all")).toMatchObject({
    ...{ approvals: none, may_approve: three, not_counted: excluded },
  });
  expect(await listed(plan, "approver")).not.toHaveProperty("not_counted");
  expect(await approve(plan, "all")).toMatchObject({
    status: 409,
    body: { detail: excluded, hint: expect.stringContaining("ada or approver or reviewer") },
  });
  expect((await approve(plan, "reader")).status).toBe(403);

  const first = await approve(plan, "approver");
  const one = { needed: 2, by: ["approver"], not_by: ["all"] };
  expect(first).toMatchObject({
    status: 201,
    body: { type: "Review", approvals: one, may_approve: ["ada", "reviewer"] },
  });
  const again = `approver has approved Plan ${plan.id.slice(0, 8)} already, and 2 different people have to.`;
  for (const list of ["approvals", "inquiries"])
    expect(await listed(plan, "approver", list)).toMatchObject({
      ...{ approvals: one, may_approve: ["ada", "reviewer"], not_counted: again },
    });
  expect(await approve(plan, "approver")).toMatchObject({ status: 409, body: { detail: again } });
  const brief = () => scene.get(`/v1/artefacts/${plan.id}/brief`);
  const said = {
    by: "approver",
    is_person: true,
    outcome: "passed",
    artefact: textAt(first, "id"),
  };
  expect((await brief()).body).toMatchObject({
    reviews: [
      said,
      { agent: "owner", outcome: "open", artefact: null, waits_for: ["ada", "reviewer"] },
    ],
  });

  const second = await approve(plan, "reviewer");
  expect(second.status).toBe(201);
  expect(second.body).not.toHaveProperty("approvals");
  expect((await brief()).body).toMatchObject({
    reviews: [said, { by: "reviewer", outcome: "passed", artefact: textAt(second, "id") }],
  });
  expect((await scene.get(`/v1/goals/${plan.goal_id}/result`)).body).toMatchObject({
    approvals: [{ by: "approver" }, { by: "reviewer" }],
  });
  expect(await approve(plan, "reviewer")).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/approver, for owner.*; reviewer, for owner/) },
  });
});

test("a rejection after an approval sends it back, and the next version is approved anew", async () => {
  const plan = await waitingPlan();
  expect((await approve(plan, "approver")).status).toBe(201);
  const no = await scene.post(`/v1/artefacts/${plan.id}/reject`, { reason: "Shorter" });
  expect(no.status).toBe(201);
  expect(no.body).not.toHaveProperty("approvals");
  const next = await scene.clan.made(plan, ({ type, version }) => type === "Plan" && version === 2);
  await waitFor("the next version to wait", () => listed(next, "all"));
  expect((await scene.get(`/v1/artefacts/${plan.id}/brief`)).body).toMatchObject({
    reviews: [
      { by: "approver", outcome: "passed" },
      { by: "all", outcome: "feedback", words: "Shorter" },
    ],
  });
  const brief = await scene.get(`/v1/artefacts/${next.id}/brief`, { as: "approver" });
  expect(brief.body).toMatchObject({ yours: [{ by: "approver", outcome: "passed" }] });
  expect(await listed(next, "approver")).toMatchObject({
    approvals: { needed: 2, by: [], not_by: ["all"] },
    may_approve: ["ada", "approver", "reviewer"],
  });
});

test("a person who has left the people counts no more, and the others are asked for", async () => {
  const plan = await waitingPlan();
  expect((await approve(plan, "approver")).status).toBe(201);
  const { board } = scene.clan;
  const owner = (await board.listAgents()).find(({ name }) => name === "owner");
  if (owner === undefined) throw new Error("There is no owner.");
  const people = owner.people?.filter(({ name }) => name !== "approver") ?? [];
  await board.registerAgents([{ ...owner, people }], "person:test", { exact: false });
  try {
    expect(await listed(plan, "reviewer")).toMatchObject({
      approvals: { needed: 2, by: [], not_by: ["all"] },
      may_approve: ["ada", "reviewer"],
    });
    expect((await approve(plan, "reviewer")).body).toMatchObject({
      approvals: { needed: 2, by: ["reviewer"] },
      may_approve: ["ada"],
    });
    const goal = await scene.get(`/v1/goals/${plan.goal_id}`);
    expect(goal.body).toMatchObject({ waiting_for: [{ approvals: { by: ["reviewer"] } }] });
  } finally {
    await board.registerAgents([owner], "person:test", { exact: false });
  }
});

test("an assistant learns how far it is, whom it waits for, and why its person's does not count", async () => {
  const plan = await waitingPlan();
  const connect = async (as: TokenName) => {
    const client = new Client({ name: "far-editor", version: "3" });
    const requestInit = { headers: { authorization: `Bearer ${scene.tokens[as]}` } };
    const transport = new StreamableHTTPClientTransport(new URL(`${scene.url}/mcp`), {
      requestInit,
    });
    await client.connect(transport as never);
    const call = async (name: string, args: Record<string, unknown>) => {
      const { structuredContent, content } = await client.callTool({ name, arguments: args });
      return structuredContent ?? JSON.stringify(content);
    };
    return { call, [Symbol.asyncDispose]: () => client.close() };
  };
  await using approver = await connect("approver");
  await using poster = await connect("all");
  const { goal_id: goal } = plan;
  expect(await poster.call("list_questions", { goal })).toMatchObject({
    waiting: [
      {
        so_far: "0 of 2 approvals. It waits for ada or approver or reviewer",
        not_counted: excluded.replace("all", "all, by far-editor 3"),
      },
    ],
  });
  expect(await poster.call("approve", { artefact: plan.id })).toContain("does not count: `not_by`");
  expect(await approver.call("approve", { artefact: plan.id })).toMatchObject({
    work_goes_on:
      "when others have approved: 1 of 2 approvals: approver, by far-editor 3. It waits for ada or reviewer",
    may_approve: ["ada", "reviewer"],
  });
  expect(await approver.call("list_questions", { goal })).toMatchObject({
    waiting: [
      {
        so_far: expect.stringContaining("1 of 2 approvals: approver"),
        not_counted: expect.stringContaining("has approved Plan"),
      },
    ],
  });
  expect(await approver.call("approve", { artefact: plan.id })).toContain(
    "already, and 2 different",
  );
  expect((await approve(plan, "reviewer")).status).toBe(201);
  await waitFor("the end", async () => {
    const { body } = await scene.get(`/v1/goals/${goal}`);
    return (body as { state: string }).state === "settled";
  });
  const brief = await approver.call("read_artefact", { id: plan.id, brief: true });
  expect(brief).toMatchObject({
    brief: { reviews: [{ by: "approver, by far-editor 3" }, { by: "reviewer" }] },
  });
});
