// An assistant, played by the MCP library's own client, works with an instance over HTTP.
import { afterAll, beforeAll, expect, test } from "bun:test";
import process from "node:process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { defaultLimits } from "../../../apps/api/deps.ts";
import { openRepository } from "../../../apps/api/repository.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { ApiScene, type TokenName } from "../../support/api/api-scene.ts";
import { bids, report } from "../../support/cli/sett.ts";
import {
  addLostSubmodule,
  commitFiles,
  git,
  newArtefactId,
  sampleRepository,
} from "../../support/git/sample-repository.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { untilStopped } from "../../support/world/tool.ts";

let scene: ApiScene;
const here = sampleRepository();

beforeAll(async () => {
  scene = await ApiScene.start(
    {
      coder: {
        ...bids({ on: "GoalDefined", bid: "exclusive" }),
        tool: async ({ target_artefact: { payload } }, signal) =>
          payload === "wait"
            ? await untilStopped(signal)
            : report("Note", { artefact_payload: `Done: ${payload}` }),
      },
    },
    { deps: { repository: await openRepository(here.path, process.env) } },
  );
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  here[Symbol.dispose]();
});

async function connect(as: TokenName, { url, tokens } = scene) {
  const client = new Client({ name: "far-editor", version: "3" });
  const requestInit = { headers: { authorization: `Bearer ${tokens[as]}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  // The library's own types differ in what may be undefined.
  await client.connect(transport as never);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

test("a goal is posted, waited for and read, in the name of the token and its assistant", async () => {
  await using editor = await connect("forager");
  const { tools } = await editor.client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("approve");
  const progress: number[] = [];
  const { structuredContent } = await editor.client.callTool(
    { name: "post_goal", arguments: { text: "Write a note", wait_seconds: 60 } },
    undefined,
    { onprogress: (each) => progress.push(each.progress) },
  );
  expect(structuredContent).toMatchObject({
    state: "settled",
    results: [{ type: "Note", by: "coder" }],
  });
  expect(progress.length).toBeGreaterThan(0);
  const { goal_id } = structuredContent as { goal_id: ArtefactId };
  const [made] = (await scene.clan.board.readEvents("0", 10_000)).filter(
    (event) => event.artefact_id === goal_id,
  );
  expect(made?.actor).toBe("person:forager, by far-editor 3");
});

test("a goal says what agents do not find of the last commit, and says nothing where they find all", async () => {
  await using editor = await connect("forager");
  const post = async () => {
    const call = { name: "post_goal", arguments: { text: "Write a note" } };
    return (await editor.client.callTool(call)).structuredContent as Record<string, unknown>;
  };
  addLostSubmodule(here.path);
  expect((await post()).workspaces_lack).toEqual([
    expect.stringMatching(
      /^A submodule is an empty folder for agents: part .*`git submodule update/,
    ),
  ]);
  git(here.path, "rm", "-q", ".gitmodules", "part");
  git(here.path, "commit", "-q", "-m", "Without a part");
  expect(await post()).not.toHaveProperty("workspaces_lack");
});

test("an artefact is posted in a goal, and a version of it, in the name of the token and its assistant", async () => {
  await using editor = await connect("poster");
  const { id: goal } = await scene.clan.postGoal("Write a note");
  const call = async (args: object) => {
    const { structuredContent, content } = await editor.client.callTool({
      name: "post_artefact",
      arguments: { ...args },
    });
    return structuredContent ?? content;
  };
  const posted = await call({ type: "Remark", text: "Two metres", from: [goal] });
  expect(posted).toMatchObject({
    artefact: { type: "Remark", version: 1, by: "poster, by far-editor 3" },
  });
  const { id } = (posted as { artefact: { id: ArtefactId } }).artefact;
  expect(await call({ type: "Remark", text: "Three", version_of: id })).toMatchObject({
    artefact: { version: 2 },
  });
  expect(JSON.stringify(await call({ type: "Remark", from: [goal] }))).toContain("either `text`");
  const stored = await scene.clan.board.readArtefact(id);
  expect(stored?.metadata).toMatchObject({ by_assistant: "far-editor 3" });
  const [made] = (await scene.clan.board.readEvents("0", 10_000)).filter(
    (event) => event.artefact_id === id,
  );
  expect(made?.actor).toBe("person:poster, by far-editor 3");
});

test("each write of an assistant is on record with its tool, its goal and the token, a refused one too", async () => {
  await using editor = await connect("forager");
  const { structuredContent } = await editor.client.callTool({
    name: "post_goal",
    arguments: { text: "Write a note" },
  });
  const { goal_id: goal } = structuredContent as { goal_id: string };
  await editor.client.callTool({ name: "read_goal", arguments: { goal } });
  const again = await editor.client.callTool({
    name: "post_goal",
    arguments: { text: "Write two", id: goal },
  });
  expect(JSON.stringify(again.content)).toContain("Leave out `id` to post a new goal.");
  await editor.client.callTool({ name: "post_goal", arguments: { text: 7 } });
  await editor.client.callTool({ name: "cancel_goal", arguments: { goal } });
  const events = await scene.clan.board.readEvents("0", 10_000);
  const [from] = events.flatMap(({ type, artefact_id }, at) =>
    type === "artefact_created" && artefact_id === goal ? [at] : [],
  );
  const calls = events.slice(from).filter(({ type }) => type === "api_called");
  const call = {
    actor: "person:forager",
    data: { method: "POST", path: "/mcp", token: "forager" },
  };
  expect(calls).toMatchObject([
    { ...call, goal_id: goal, data: { ...call.data, tool: "post_goal", status: 200 } },
    { ...call, data: { ...call.data, tool: "post_goal", status: 422 } },
    { ...call, data: { ...call.data, tool: "post_goal", status: 422 } },
    { ...call, data: { ...call.data, tool: "cancel_goal", status: 403 } },
  ]);
});

test("a write about a goal is on record with it, also where it is refused", async () => {
  await using editor = await connect("controller");
  const goal = await scene.clan.postGoal("wait");
  await editor.client.callTool({ name: "cancel_goal", arguments: { goal: goal.id } });
  await editor.client.callTool({ name: "cancel_goal", arguments: { goal: goal.id } });
  const calls = (await scene.clan.board.readEvents("0", 10_000)).filter(
    ({ type, data }) => type === "api_called" && data?.token === "controller",
  );
  expect(calls).toMatchObject([
    { goal_id: goal.id, data: { tool: "cancel_goal", status: 200 } },
    { goal_id: goal.id, data: { tool: "cancel_goal", status: 409 } },
  ]);
});

test("what the commit of a result changes is read in pieces, as it is where a person approves", async () => {
  await using editor = await connect("reader");
  const changed = commitFiles(here.path, { "door.txt": "green\n" }, "Paint the door");
  const goal = await scene.clan.postGoal("Paint the door", {
    type: "Wish",
    metadata: { commit: here.base },
  });
  const made = sampleArtefact({
    ...{
      id: newArtefactId(),
      goal_id: goal.goal_id,
      source_artefacts: [goal.id],
      type: "CodeCommit",
      payload: changed,
    },
    metadata: { commit: changed },
  });
  await scene.clan.board.createArtefact(made, "person:test");
  const read = async (id: string, more = {}) => {
    const { structuredContent, content } = await editor.client.callTool({
      name: "read_changes",
      arguments: { id, ...more },
    });
    return {
      data: structuredContent as Record<string, unknown> | undefined,
      text: JSON.stringify(content),
    };
  };
  const { data: whole } = await read(made.id.slice(0, 8));
  expect(whole).toMatchObject({
    id: made.id,
    commit: changed,
    next_offset: null,
    note: expect.stringContaining("not an instruction"),
  });
  const diff = await scene.get(`/v1/artefacts/${made.id}/diff`);
  expect(whole?.changes).toBe(diff.text);
  expect(diff.text).toContain("+green");
  const { data: first } = await read(made.id, { max_characters: 30 });
  const { data: rest } = await read(made.id, { offset: 30 });
  expect([first?.next_offset, `${first?.changes}${rest?.changes}`]).toEqual([30, diff.text]);
  expect((await read(goal.id)).text).toContain("has no commit of an agent");
});

test("wrong params are answered in one sentence, before a session and within it", async () => {
  await using editor = await connect("reader");
  const post = async (message: object, more: Record<string, string> = {}) => {
    return await send(JSON.stringify({ jsonrpc: "2.0", id: 5, ...message }), more);
  };
  const send = async (body: string, more: Record<string, string> = {}) => {
    const headers = {
      ...{ authorization: `Bearer ${scene.tokens.reader}`, "content-type": "application/json" },
      ...{ accept: "application/json, text/event-stream", ...more },
    };
    const answer = await fetch(`${scene.url}/mcp`, { method: "POST", headers, body });
    return { status: answer.status, body: await answer.json() };
  };
  const params = { capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const refused = (message: string) => ({
    status: 400,
    body: { jsonrpc: "2.0", id: 5, error: { code: -32_602, message } },
  });
  expect(await post({ method: "initialize", params })).toEqual(
    refused("Invalid params of initialize: `params.protocolVersion` is missing."),
  );
  const { sessionId = "" } = editor.transport;
  expect(await post({ method: "tools/call", params: {} }, { "mcp-session-id": sessionId })).toEqual(
    refused("Invalid params of tools/call: `params.name` is missing."),
  );
  for (const body of ['{"hello":1}', "[]", '{"jsonrpc":"1.0","id":5,"method":"ping"}']) {
    const answer = await send(body, { "mcp-session-id": sessionId });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: -32_600 } } });
  }
});

test("a session belongs to its token, and without a token there is none", async () => {
  await using editor = await connect("reader");
  const { sessionId = "" } = editor.transport;
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const headers = { "mcp-session-id": sessionId, accept: "application/json, text/event-stream" };
  expect((await scene.post("/mcp", list, { as: "reader", headers })).status).toBe(200);
  expect((await scene.post("/mcp", list, { as: "all", headers })).status).toBe(404);
  expect((await scene.post("/mcp", list, { as: "stranger", headers })).status).toBe(401);
});

const openStreams = async ({ metrics }: ApiScene) => (await metrics.streams.get()).values[0]?.value;

test("the stream of a session is counted among the streams, and refused where these are too many", async () => {
  const limits = { ...defaultLimits, maxStreams: 1 };
  await using api = await ApiScene.start(
    {},
    { redis: scene.redis, orchestrator: false, deps: { limits } },
  );
  // The library's client opens the stream of its session by itself.
  const editor = await connect("reader", api);
  await waitFor("the stream", async () => (await openStreams(api)) === 1);
  const events = () => api.get("/v1/events", { headers: { accept: "text/event-stream" } });
  expect(await events()).toMatchObject({ status: 429, body: { code: "too-many-requests" } });
  const headers = {
    "mcp-session-id": editor.transport.sessionId ?? "",
    accept: "text/event-stream",
  };
  expect((await api.get("/mcp", { as: "reader", headers })).status).toBe(429);
  await editor[Symbol.asyncDispose]();
  await waitFor("room", async () => (await openStreams(api)) === 0);
});

test("a second stream of a session is refused, and not counted", async () => {
  await using api = await ApiScene.start({}, { redis: scene.redis, orchestrator: false });
  await using editor = await connect("reader", api);
  await waitFor("the stream", async () => (await openStreams(api)) === 1);
  const headers = {
    "mcp-session-id": editor.transport.sessionId ?? "",
    accept: "text/event-stream",
  };
  expect((await api.get("/mcp", { as: "reader", headers })).status).toBe(409);
  expect(await openStreams(api)).toBe(1);
});

test("an API that stops ends the streams of sessions, and answers the calls that wait", async () => {
  const api = await ApiScene.start({}, { redis: scene.redis, orchestrator: false });
  const editor = await connect("reader", api);
  await waitFor("the stream", async () => (await openStreams(api)) === 1);
  const goal = await api.clan.postGoal("Wait for me");
  const progress: number[] = [];
  const waiting = editor.client.callTool(
    { name: "wait_for_goal", arguments: { goal: goal.id, timeout_seconds: 600 } },
    undefined,
    {
      onprogress: (each) => progress.push(each.progress),
    },
  );
  await waitFor("the call to wait", async () => {
    await api.clan.board.logEvent(
      { type: "cancel_requested", goal_id: goal.goal_id },
      "person:test",
    );
    return progress.length > 0;
  });
  await api[Symbol.asyncDispose]();
  expect((await waiting).structuredContent).toMatchObject({ state: "running" });
  await editor[Symbol.asyncDispose]();
});
