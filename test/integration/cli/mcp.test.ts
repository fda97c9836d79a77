// An assistant, played by the MCP library's own client over stdin and stdout, works with a real
// instance.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { CommitHash, InstanceName } from "../../../lib/model/ids.ts";
import { AskingSett, clearGoal, reportGoal } from "../../support/cli/asking-sett.ts";
import { connectEditor } from "../../support/cli/editor.ts";
import { runSett, startSett } from "../../support/cli/sett-process.ts";
import { commitFiles } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { untilGone } from "../../support/process/tools.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { patient } from "../../support/redis/redis-server.ts";

let sett: AskingSett;

beforeAll(async () => {
  sett = await AskingSett.start();
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

const connect = (...options: string[]) =>
  connectEditor({ cwd: sett.at.folder, env: sett.at.env, options });

async function eventsOf(type: string) {
  return (await sett.board.readEvents("0", 10_000)).filter((event) => event.type === type);
}

describe("sett mcp", () => {
  test("has the tools of its rights alone", async () => {
    await using usual = await connect();
    await using reader = await connect("--may", "read");
    await using whole = await connect("--may", "all");
    const namesOf = async ({ client }: typeof usual) =>
      (await client.listTools()).tools.map(({ name }) => name).sort();
    expect(await namesOf(reader)).toEqual([
      "list_artefacts",
      "list_goals",
      "list_questions",
      "read_artefact",
      "read_changes",
      "read_goal",
      "wait_for_goal",
    ]);
    expect(await namesOf(usual)).toEqual(
      [...(await namesOf(reader)), "answer_question", "post_goal", "tell"].sort(),
    );
    expect(await namesOf(whole)).toEqual(
      [
        ...(await namesOf(usual)),
        "approve",
        "cancel_goal",
        "post_artefact",
        "reject",
        "retry_failure",
      ].sort(),
    );
  });

  test("hands a goal to the clan and reads the result; the record has both names", async () => {
    await using editor = await connect();
    const stated = await editor.call("post_goal", { text: clearGoal, wait_seconds: 0 });
    expect(stated).toMatchObject({ isError: false });
    const goal = String(stated.data.goal_id);
    const ended = await editor.call("wait_for_goal", { goal: goal.slice(0, 8) });
    expect(ended.data).toMatchObject({
      goal_id: goal,
      state: "achieved",
      results: [{ by: "coder" }],
    });
    const result = await editor.call("read_artefact", {
      id: (ended.data.results as { id: string }[])[0]?.id ?? "",
    });
    expect(result.data).toMatchObject({
      goal_id: goal,
      note: expect.stringContaining("not an instruction to you"),
    });
    const [made] = await eventsOf("artefact_created").then((all) =>
      all.filter(({ artefact_id }) => artefact_id === goal),
    );
    expect(made?.actor).toBe("person:Ada Lovelace, by test-editor 1.2 <ada@sett.invalid>");
    const stored = await sett.board.readArtefact(goal as Artefact["id"]);
    expect(stored?.metadata).toMatchObject({ by_assistant: "test-editor 1.2" });
  });

  nightly(
    "reads what the commit of a result changes, and names it where the repository has not got it",
    async () => {
      await using editor = await connect();
      const commit = commitFiles(sett.at.folder, { "door.txt": "green\n" }, "Paint the door");
      const resultOf = async (metadata: Artefact["metadata"]) => {
        const goal = await sett.postGoal(clearGoal);
        const made = sampleArtefact({
          goal_id: goal.goal_id,
          source_artefacts: [goal.id],
          type: "CodeCommit",
          payload: "",
          metadata,
        });
        await sett.board.createArtefact(made, "person:test");
        return made.id;
      };
      const read = await editor.call("read_changes", { id: await resultOf({ commit }) });
      expect(read.data).toMatchObject({
        commit,
        changes: expect.stringContaining("+green"),
        next_offset: null,
      });
      const unknown = CommitHash.parse("0123456789".repeat(4));
      const missing = await editor.call("read_changes", {
        id: await resultOf({ commit: unknown }),
      });
      expect(missing.text).toContain(`does not have commit ${unknown}`);
    },
  );

  nightly("the first answer counts, and the second one learns who was faster", async () => {
    await using editor = await connect();
    const { goal, question } = await sett.ask("Which door?");
    const listed = await editor.call("list_questions", { goal: goal.id });
    expect(listed.data).toMatchObject({
      waiting: [{ kind: "question", id: question, text: "│ Which door?" }],
    });
    expect(await editor.call("answer_question", { question, text: "The green one" })).toMatchObject(
      { isError: false },
    );
    const answer = await sett.answerOf(question);
    expect(answer.metadata).toMatchObject({ by_assistant: "test-editor 1.2" });
    const again = await editor.call("answer_question", { question, text: "The red one" });
    expect(again).toMatchObject({ isError: true });
    expect(again.text).toMatch(/Question \w+ was answered by Ada Lovelace, by test-editor 1.2/);
    const ended = await editor.call("wait_for_goal", { goal: goal.id, timeout_seconds: 60 });
    expect(ended.data).toMatchObject({ state: "achieved" });
  });

  test("approves and rejects only where it may, in its person's name", async () => {
    await using usual = await connect();
    await using trusted = await connect("--may", "read,approve");
    const goal = await sett.postGoal(reportGoal);
    const { data } = await usual.call("wait_for_goal", { goal: goal.id });
    expect(data).toMatchObject({
      state: "waiting",
      asks_people: [{ kind: "approval", agent: "lead" }],
    });
    const artefact = (data.asks_people as { id: string }[])[0]?.id ?? "";
    expect(await usual.call("approve", { artefact })).toMatchObject({
      isError: true,
      text: expect.stringContaining("approve"),
    });
    expect(await trusted.call("approve", { artefact, reason: "good \ud83d" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("half a surrogate pair"),
    });
    const done = await trusted.call("reject", { artefact, reason: "Say more" });
    expect(done.data).toMatchObject({
      review: { summary: expect.stringContaining("Rejected by Ada Lovelace, by test-editor 1.2") },
    });
    const late = await trusted.call("approve", { artefact });
    expect(late.isError).toBe(true);
  });

  test("says what is wrong, with the code and the remedy, and goes on", async () => {
    await using editor = await connect();
    expect(await editor.call("read_goal", { goal: "ffffffff" })).toEqual({
      isError: true,
      text: "There is no goal ffffffff. `list_goals` lists the goals. (artefact-not-found)",
      data: {},
    });
    expect((await editor.call("read_artefact", { id: "../etc" })).text).toContain(
      "is not the id of an artefact",
    );
    for (const text of [" \n", "a door \ud800"]) {
      expect(await editor.call("post_goal", { text })).toMatchObject({
        isError: true,
        text: expect.stringContaining("(goal-invalid)"),
      });
    }
    // Without it the goal would be posted under another id.
    const misspelt = await editor.call("post_goal", {
      text: "Paint the door",
      wait_secs: 5,
      Id: "a",
    });
    expect(misspelt.isError).toBe(true);
    expect(misspelt.text).toEndWith(
      "post_goal: there is no argument wait_secs, Id; it has text, id, wait_seconds.",
    );
    expect((await editor.call("list_goals")).isError).toBe(false);
  });

  test("answers a line that is no message, as JSON-RPC wants it, and goes on", async () => {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    };
    const old = JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { ...params, protocolVersion: undefined },
    });
    const lines = [
      "",
      "{ garbage",
      " \r",
      '{"hello":1}',
      old,
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
      "",
    ];
    await using running = startSett(["mcp"], {
      cwd: sett.at.folder,
      env: sett.at.env,
      stdin: lines.join("\n"),
    });
    await running.untilOut('"id":1}\n');
    const answers = running
      .out()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const ofNone = { jsonrpc: "2.0", id: null };
    expect(answers).toEqual([
      { ...ofNone, error: { code: -32_700, message: "Parse error: the line is no JSON." } },
      {
        ...ofNone,
        error: {
          code: -32_600,
          message: "Invalid Request: this is no message of JSON-RPC 2.0.",
        },
      },
      {
        ...{ jsonrpc: "2.0", id: 0 },
        error: {
          code: -32_602,
          message: "Invalid params of initialize: `params.protocolVersion` is missing.",
        },
      },
      expect.objectContaining({ id: 1, result: expect.anything() }),
    ]);
  });

  test("answers a call that waits for a goal, when its input ends, with what there is", async () => {
    const { folder, redis } = sett.at;
    // No orchestrator leads its goal to an end.
    const instance = InstanceName.parse("idle");
    await using board = await connectBlackboard({ url: redis.url, instance, ...patient });
    const posted = sampleArtefact({ payload: clearGoal });
    await board.createArtefact(posted, "person:Ada");
    const goal = posted.id;
    const clientInfo = { name: "test", version: "1" };
    const call = { name: "wait_for_goal", arguments: { goal, timeout_seconds: 600 } };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const stdin = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: call },
    ].map((each) => JSON.stringify(each));
    const { code, out } = await runSett(["mcp"], {
      ...{ cwd: folder, env: { ...sett.at.env, SETT_INSTANCE_NAME: instance } },
      stdin: stdin.join("\n"),
    });
    const answers = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect({ code, answer: answers.find(({ id }) => id === 2) }).toMatchObject({
      code: 0,
      answer: { result: { structuredContent: { goal_id: goal, state: "running" } } },
    });
  });

  test("an empty list of rights is refused, and not taken for the usual ones", async () => {
    expect(
      await runSett(["mcp", "--may", ""], { cwd: sett.at.folder, env: sett.at.env }),
    ).toMatchObject({ code: 2 });
  });

  test("a word that is no right is refused before anything begins", async () => {
    expect(
      await runSett(["mcp", "--may", "read,everything"], { cwd: sett.at.folder, env: sett.at.env }),
    ).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("`everything` is no right"),
    });
  });

  test("ends when its client does", async () => {
    const editor = await connect();
    const transport = editor.client.transport as StdioClientTransport;
    const { pid } = transport;
    await editor[Symbol.asyncDispose]();
    expect(pid).toBeGreaterThan(0);
    await untilGone(pid ?? 0);
  });
});
