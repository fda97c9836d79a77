// An agent that asks its model how to bid: the cub's own HTTP requests to a model that is a server
// of the test.
import { afterAll, describe, expect, test } from "bun:test";
import { modelAsker } from "../../../apps/cub/bid/ask-model.ts";
import type { AgentBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { parseToken } from "../../../lib/models/token.ts";
import { coder, cubInstance, echo } from "../../support/cub/cub-instance.ts";
import { startCub } from "../../support/cub/cub-process.ts";
import { cubScene, heldTool } from "../../support/cub/scene.ts";
import {
  type Format,
  type ScriptedAnswer,
  scriptedModel,
} from "../../support/models/scripted-model.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const says = (word: string, reason = "It is code."): ScriptedAnswer => ({
  call: [["bid", { word, reason }]],
});
const quick = { tries: 3, tryMs: 5_000, firstPauseMs: 1, heldPauseMs: 20 };

function accessOf(model: ReturnType<typeof scriptedModel>, provider: Format) {
  const { environment } = model;
  const base =
    "ANTHROPIC_BASE_URL" in environment
      ? environment.ANTHROPIC_BASE_URL
      : environment.OPENAI_BASE_URL;
  const gatewayUrl = new URL(base ?? "").origin;
  return { gatewayUrl, model: "test-model", provider, name: "strong" };
}

/** A cub in this process, whose model plays these answers. */
async function askingScene(
  answers: readonly ScriptedAnswer[],
  {
    format = "anthropic",
    limits = quick,
    agent = {},
  }: { format?: Format; limits?: typeof quick; agent?: Partial<AgentRegistration> } = {},
) {
  const model = scriptedModel(format, answers);
  const { promise: opened, resolve } = Promise.withResolvers<AgentBlackboard>();
  const { tool, endWork } = heldTool();
  const scene = await cubScene({
    agent: { asks_model: true, ...agent },
    tool,
    wrap: (board) => {
      resolve(board);
      return board;
    },
    over: { askModel: undefined },
  });
  const board = await opened;
  scene.deps.askModel = modelAsker({
    board,
    model: accessOf(model, format),
    prompt: "You take code.",
    limits,
  });
  return {
    ...scene,
    model,
    endWork,
    /** The event of the only bid. */
    bidPlaced: () =>
      waitFor("the bid", async () =>
        (await scene.standIn.board.readEvents("0", 1_000)).find(
          ({ type }) => type === "bid_placed",
        ),
      ),
    async [Symbol.asyncDispose]() {
      endWork();
      await scene[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

describe.each<Format>(["anthropic", "openai"])("an agent whose model has %s's API", (format) => {
  test("bids what its model says; the reason is in the log and on record", async () => {
    await using scene = await askingScene([says("claim")], { format });
    const { standIn, agent, model } = scene;
    scene.start();
    await scene.listening();
    const goal = await standIn.post({ payload: "Write a sum." });
    const claim = await standIn.open(goal, [agent]);
    expect((await scene.bidPlaced()).data).toEqual({
      word: "claim",
      missing: 0,
      reason: "It is code.",
      rev: 1,
    });
    const logged = { msg: "Placed bid", bid: "claim", decided_by: "model", because: "It is code." };
    const line = await waitFor("the log", () =>
      scene.lines.find(({ msg }) => msg === "Placed bid"),
    );
    expect(line).toMatchObject(logged);
    const [request] = model.requests;
    expect(model.requests).toHaveLength(1);
    expect(request?.text).toContain("Write a sum.");
    for (const id of [goal.id, claim, goal.created_at]) expect(request?.text).not.toContain(id);
    const key =
      request?.headers.get("x-api-key") ??
      request?.headers.get("authorization")?.replace("Bearer ", "") ??
      "";
    expect(parseToken(key)).toMatchObject({ kind: "bid", claim, agent, attempt: 0 });
    expect(JSON.stringify(scene.lines)).not.toContain("sett_bid");
  });

  test("bids `ignore` after three tries, and says why", async () => {
    const overloaded = () => Response.json({ error: { message: "Overloaded." } }, { status: 529 });
    await using scene = await askingScene(
      [overloaded, "I would rather not say.", { call: [["bid", { word: "perhaps" }]] }],
      {
        format,
      },
    );
    scene.start();
    await scene.listening();
    await scene.standIn.open(await scene.standIn.post(), [scene.agent]);
    const reason = expect.stringMatching(
      /^Its model gave no bid: The model's answer is no bid: .*perhaps/,
    );
    expect((await scene.bidPlaced()).data).toEqual({ word: "ignore", missing: 0, reason, rev: 1 });
    expect(scene.model.requests).toHaveLength(3);
    const problems = scene.lines.filter(({ msg }) => msg.startsWith("The model gave no bid"));
    expect(problems.map(({ level, error }) => [level, error])).toEqual([
      ["warn", "529: Overloaded."],
      ["warn", expect.stringContaining("I would rather not say.")],
      ["error", expect.stringContaining("perhaps")],
    ]);
  });
});

describe("an agent that asks its model", () => {
  test("asks nothing where a rule matches, and nothing about what its own role has made", async () => {
    const agent = { bids: [{ on: "Report", bid: "review" as const }] };
    await using scene = await askingScene([says("claim")], { agent });
    const { standIn, agent: name } = scene;
    scene.start();
    await scene.listening();
    const report = await standIn.open(
      await standIn.post({ type: "Report", produced_by_role: "tester" }),
      [name],
    );
    expect(await standIn.bidOn(report, name)).toBe("review");
    const own = await standIn.open(
      await standIn.post({ type: "Plan", produced_by_role: "coder" }),
      [name],
    );
    expect(await standIn.bidOn(own, name)).toBe("ignore");
    expect(scene.model.requests).toEqual([]);
    const plan = await standIn.open(
      await standIn.post({ type: "Plan", produced_by_role: "planner" }),
      [name],
    );
    expect(await standIn.bidOn(plan, name)).toBe("claim");
  });

  test("shows its model the goal and the chain of the artefact", async () => {
    await using scene = await askingScene([says("claim")]);
    const { standIn, agent } = scene;
    const goal = await standIn.post({ payload: "The goal is a sum." });
    const of = { goal_id: goal.goal_id, produced_by_role: "writer" };
    const draft = await standIn.post({
      ...of,
      type: "Draft",
      payload: "A first draft.",
      source_artefacts: [goal.id],
    });
    const plan = await standIn.post({
      ...of,
      type: "Plan",
      payload: "The plan.",
      source_artefacts: [draft.id],
    });
    scene.start();
    await scene.listening();
    expect(await standIn.bidOn(await standIn.open(plan, [agent]), agent)).toBe("claim");
    const { messages } = JSON.parse(scene.model.requests[0]?.text ?? "{}");
    const read = JSON.parse(messages[0].content);
    expect(read.artefact).toMatchObject({ type: "Plan", content: "The plan." });
    expect(read.goal_and_chain.map(({ content }: { content: string }) => content)).toEqual([
      "The goal is a sum.",
      "A first draft.",
    ]);
  });

  test.each([
    [402, "The budget of the goal is spent."],
    [401, "The token is not known."],
    [503, "The gateway has no key: run `sett up`."],
  ])("asks once where it is in vain (status %d), and ignores", async (status, message) => {
    const headers = { "x-should-retry": "false", "x-sett-error": "of-the-gateway" };
    const refusal = () =>
      Response.json(
        { type: "error", error: { type: "billing_error", message } },
        { status, headers },
      );
    await using scene = await askingScene([refusal]);
    scene.start();
    await scene.listening();
    await scene.standIn.open(await scene.standIn.post(), [scene.agent]);
    expect((await scene.bidPlaced()).data).toMatchObject({
      word: "ignore",
      reason: `Its model gave no bid: ${message}`,
    });
    expect(scene.model.requests).toHaveLength(1);
  });

  test("waits as long as its model may take, with all tries, and then says so", async () => {
    const silence = () => new Promise<Response>(() => undefined);
    await using scene = await askingScene([silence, says("exclusive")], {
      limits: { ...quick, tryMs: 200 },
    });
    scene.start();
    await scene.listening();
    await scene.standIn.open(await scene.standIn.post(), [scene.agent]);
    expect((await scene.bidPlaced()).data).toMatchObject({
      word: "ignore",
      reason: "Its model gave no bid: The model did not answer within 0.2 s.",
    });
    expect(scene.model.requests).toHaveLength(1);
  });

  test("waits while the budget of a day is used up, which counts as no try", async () => {
    const spent = () =>
      Response.json(
        { error: { message: "The budget for this day is spent." } },
        {
          status: 402,
          headers: { "x-should-retry": "false", "x-sett-budget": '{"scope":"day"}' },
        },
      );
    await using scene = await askingScene([spent, spent, spent, spent, says("exclusive")]);
    scene.start();
    await scene.listening();
    await scene.standIn.open(await scene.standIn.post(), [scene.agent]);
    expect((await scene.bidPlaced()).data).toMatchObject({ word: "exclusive" });
    expect(scene.model.requests).toHaveLength(5);
  });

  test("asks about many claims side by side, at most 16 at once, while it works", async () => {
    let most = 0;
    const gates: (() => void)[] = [];
    const answer = Response.json({
      content: [{ type: "tool_use", id: "1", name: "bid", input: { word: "claim", reason: "" } }],
    });
    const gated: ScriptedAnswer = async () => {
      await new Promise<void>((resolve) => (most = Math.max(most, gates.push(resolve))));
      return answer.clone();
    };
    await using scene = await askingScene([gated]);
    const { standIn, agent } = scene;
    scene.start();
    await scene.listening();
    const busy = await standIn.openGranted(await standIn.post(), agent);
    await waitFor("the work", () => scene.inputs.length === 1);
    const claims = await Promise.all(
      Array.from({ length: 20 }, async () => standIn.open(await standIn.post(), [agent])),
    );
    await waitFor("sixteen questions", () => gates.length === 16);
    const opening = setInterval(() => gates.pop()?.(), 1);
    for (const claim of claims) expect(await standIn.bidOn(claim, agent)).toBe("claim");
    clearInterval(opening);
    expect(most).toBe(16);
    expect((await standIn.grantOf(busy, agent))?.state).toBe("running");
  });

  test("leaves the bid open when it is stopped meanwhile", async () => {
    const silence = () => new Promise<Response>(() => undefined);
    await using scene = await askingScene([silence]);
    const { ended } = scene.start();
    await scene.listening();
    const claim = await scene.standIn.open(await scene.standIn.post(), [scene.agent]);
    await waitFor("the question", () => scene.model.requests.length === 1);
    scene.stop.abort("SIGTERM");
    scene.endWork();
    await ended;
    expect((await scene.standIn.read(claim)).claim.bids).toEqual([]);
    expect(scene.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("asks nothing where the blackboard does not allow it", async () => {
    await using model = scriptedModel("anthropic", [says("claim")]);
    await using scene = await cubScene();
    const target = await scene.standIn.post();
    const closed = await scene.standIn.open(target, [scene.agent]);
    await scene.standIn.grant(closed, scene.agent);
    const ask = modelAsker({
      board: scene.deps.board,
      model: accessOf(model, "anthropic"),
      prompt: "Code.",
      limits: quick,
    });
    const { signal } = new AbortController();
    const order = {
      agent: { name: scene.agent, role: "coder" },
      stop: signal,
      log: scene.deps.log,
      markProgress: () => undefined,
    };
    const bid = await ask({ ...order, claim: closed, artefact: target.id });
    expect(bid).toMatchObject({
      word: "ignore",
      isAsked: false,
      reason: expect.stringContaining("closed"),
    });
    expect(model.requests).toEqual([]);
  });
});

const redis = await startRedisServer();
afterAll(() => redis[Symbol.asyncDispose]());

test("the cub as a process, on Redis, asks with a token that the blackboard knows", async () => {
  await using model = scriptedModel("openai", [says("exclusive", "It is mine.")]);
  const access = accessOf(model, "openai");
  await using scene = await cubInstance(redis, echo, {
    agent: { asks_model: true, bids: [{ on: "Report", bid: "ignore" }] },
    env: {
      SETT_GATEWAY_URL: access.gatewayUrl,
      SETT_MODEL: "m",
      SETT_MODEL_PROVIDER: "openai",
      SETT_PROMPT_CLAIM: "Code.",
    },
  });
  await using cub = startCub(scene.env);
  const claim = await scene.standIn.open(await scene.standIn.post(), [coder]);
  expect(await scene.standIn.bidOn(claim, coder)).toBe("exclusive");
  const placed = (await scene.board.readEvents("0", 100)).find(({ type }) => type === "bid_placed");
  expect(placed?.data).toMatchObject({ reason: "It is mine." });
  const token = model.requests[0]?.headers.get("authorization")?.replace("Bearer ", "") ?? "";
  expect(parseToken(token)).toMatchObject({ kind: "bid", claim });
  expect(JSON.stringify(cub.lines)).not.toContain("sett_bid");
});
