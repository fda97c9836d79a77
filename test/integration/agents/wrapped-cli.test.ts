// A published coding CLI as an agent: the real opencode, through a real gateway, on a mock of a
// provider that others maintain.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { modelVariables } from "../../../apps/cub/tool/model-access.ts";
import type { Budget } from "../../../lib/model/budget.ts";
import {
  FullToolOutput,
  formatToolInput,
  type ToolInput,
} from "../../../lib/model/tool-contract.ts";
import { opencodeFolder } from "../../support/agents/opencode.ts";
import { git, runAgent } from "../../support/agents/run-agent.ts";
import { key, startGateway } from "../../support/gateway/gateway-scene.ts";
import { byCoder, goalOf, workInput, workRepository } from "../../support/models/worker-scene.ts";
import { nightly } from "../../support/nightly.ts";

// It takes seconds to start, and is installed first.
setDefaultTimeout(300_000);

const mock = new LLMock({ port: 0 });
const usage = { input_tokens: 12, output_tokens: 7 };
const write = {
  name: "bash",
  arguments: JSON.stringify({ command: "echo hi > greeting.txt", description: "Greets" }),
};
let programs: string;

beforeAll(async () => {
  programs = opencodeFolder();
  mock.onTurn(0, /Write a greeting/, { toolCalls: [write], usage });
  mock.onTurn(1, /./, { content: "It is written.", usage });
  await mock.start();
});
afterAll(() => mock.stop());

async function work(provider: "anthropic" | "openai", input: ToolInput, grant?: Budget) {
  await using gateway = await startGateway({
    base_url: `${mock.url}/v1`,
    provider,
    ...(grant && { grant }),
  });
  using repository = workRepository();
  const home = mkdtempSync(join(tmpdir(), "sett-home-"));
  const access = { gatewayUrl: gateway.url, model: "provider-model", provider, name: "strong" };
  const run = await runAgent("wrapped-cli", formatToolInput(input), repository.folder, {
    ...modelVariables(access, gateway.token),
    PATH: `${programs}:${process.env.PATH}`,
    HOME: home,
    SETT_PROMPT_EXECUTION: "You are polite.",
  });
  const { ended } = await gateway.board.readCalls((await gateway.board.listGoals())[0] as never);
  const shown = await git(repository.folder, "show", "--stat", "--format=%s");
  const status = await git(repository.folder, "status", "--porcelain");
  rmSync(home, { recursive: true, force: true });
  return { ...run, ended, shown, status };
}

nightly(
  "opencode does the work through the gateway, and what it has changed is the agent's commit",
  async () => {
    const goal = goalOf('Write a greeting, and "quote" it: `$HOME`.');
    const { exitCode, stdout, stderr, ended, shown, status } = await work(
      "anthropic",
      workInput(goal),
    );
    expect({ exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ exitCode: 0, stderr: "" });
    const answer = FullToolOutput.parse(JSON.parse(stdout));
    expect(answer).toMatchObject({
      artefact_type: "CodeCommit",
      artefact_payload: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(shown).toContain("greeting.txt");
    expect(status).toBe("");
    expect(ended.map((call) => [call.api, call.outcome, call.asked_model])).toEqual([
      ["messages", "ok", "provider-model"],
      ["messages", "ok", "provider-model"],
    ]);
    const sent = JSON.stringify(mock.getRequests().map(({ body }) => body));
    for (const part of ["You are polite.", "`$HOME`."]) expect(sent).toContain(part);
    for (const text of [stdout, stderr]) expect(text).not.toContain(key);
  },
);

nightly(
  "a rework shows it the goal, the commit and the reviews; a model with OpenAI's API serves as well",
  async () => {
    const goal = goalOf("Write a greeting.");
    const target = byCoder({
      type: "CodeCommit",
      payload: "0".repeat(40),
      source_artefacts: [goal.id],
    });
    const review = byCoder({
      structural_type: "Review",
      type: "Review",
      payload: "Greet the world.",
    });
    const input = workInput(target, { context_chain: [goal], additional_context: [review] });
    const { exitCode, ended } = await work("openai", input);
    expect(exitCode).toBe(0);
    expect(ended.map(({ api, outcome }) => [api, outcome])).toEqual([
      ["chat", "ok"],
      ["chat", "ok"],
    ]);
    const sent = JSON.stringify(mock.getRequests().at(-1)?.body);
    for (const part of ["Write a greeting.", "# CodeCommit, by coder", "Greet the world."])
      expect(sent).toContain(part);
  },
);

nightly("a spent budget ends the work at once, and the output says so", async () => {
  const { exitCode, stderr, ended } = await work("openai", workInput(goalOf("Write a greeting.")), {
    calls: 0,
  });
  expect(exitCode).not.toBe(0);
  expect(stderr).toMatch(/budget/i);
  expect(ended).toEqual([]);
});

test.each([
  ["changes nothing", "cat >prompt; rm prompt", "opencode has changed nothing.\n"],
  ["fails", "cat >/dev/null; echo No model. >&2; exit 3", "No model.\n"],
])("a CLI that %s makes the work fail, and leaves stdout empty", async (_what, script, last) => {
  using repository = workRepository();
  const bin = mkdtempSync(join(tmpdir(), "sett-cli-"));
  writeFileSync(join(bin, "opencode"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const PATH = `${bin}:${process.env.PATH}`;
  const before = repository.head();
  const run = await runAgent(
    "wrapped-cli",
    formatToolInput(workInput(goalOf("Sum."))),
    repository.folder,
    { PATH },
  );
  rmSync(bin, { recursive: true });
  expect(run.exitCode).not.toBe(0);
  expect(run.stdout).toBe("");
  expect(run.stderr).toEndWith(last);
  expect(repository.head()).toBe(before);
});

test("the guide shows run.sh as it is", () => {
  const page = readFileSync(join(import.meta.dir, "../../../docs/guides/coding-cli.md"), "utf8");
  const script = readFileSync(join(import.meta.dir, "../../../agents/wrapped-cli/run.sh"), "utf8");
  expect(page).toContain(`\`\`\`text\n${script}\`\`\``);
});
