// Ready agents as a person has them: the real coding CLI, from its registry, in its container,
// against a mock of a provider that others maintain.
import { beforeAll, expect, setDefaultTimeout } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeNodeImage, registryArguments } from "../support/docker/node-image.ts";
import { startProvider } from "../support/models/provider-container.ts";
import { isNight, nightly } from "../support/nightly.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const key = "sk-of-ready-agents";
const usage = { input_tokens: 12, output_tokens: 7 };

type Row = { use: string; provider: "anthropic" | "openai"; shell: string; argument: string };

/** `shell`: the tool that runs a command, with the name of its argument. */
const rows: Row[] = [
  { use: "claude-code", provider: "anthropic", shell: "Bash", argument: "command" },
  { use: "codex", provider: "openai", shell: "exec_command", argument: "cmd" },
  { use: "opencode", provider: "anthropic", shell: "bash", argument: "command" },
  { use: "pi", provider: "anthropic", shell: "bash", argument: "command" },
  { use: "qwen-code", provider: "openai", shell: "run_shell_command", argument: "command" },
];

/** Looks around, writes a file, looks again, and is done. */
function plan({ shell, argument }: Row) {
  const run = (command: string) => ({
    toolCalls: [{ name: shell, arguments: { [argument]: command, description: "Works" } }],
    usage,
  });
  return [
    { match: { turnIndex: 0 }, response: run("ls") },
    { match: { turnIndex: 1 }, response: run("echo hello > greeting.txt") },
    { match: { turnIndex: 2 }, response: run("cat greeting.txt") },
    { match: { turnIndex: 3 }, response: { content: "It is written.", usage } },
  ];
}

beforeAll(async () => {
  if (isNight) await makeNodeImage();
});

/** A goal of a person's for the agent, from three commands and a key, whose model answers so. */
async function atWork({ use, provider }: Row, answers: readonly object[]) {
  const sett = await SettWorkspace.create();
  const variable = provider === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
  sett.env = { [variable]: key };
  await sett.need("init", "--agent", use);
  const written = await readFile(join(sett.folder, "sett.yml"), "utf8");
  const args = await registryArguments();
  await sett.write({
    "sett.yml": written
      .replace(
        /^( +)key: .*/m,
        `$&\n$1base_url: http://provider:4010/v1\n$1price: { input: 1, output: 2 }`,
      )
      .replace(/^( +)use: .*/m, `$&\n$1build: { args: ${JSON.stringify(args)} }`),
  });
  await sett.commit("Add a sett");
  await sett.up();
  const server = await startProvider(`sett-${sett.name}`, [key], answers);
  const goal = await sett.forage("Write a greeting.");
  const notMade = ["GoalDefined", "PersonSays", "Answer", "Question"];
  const made = async () => {
    const find = async () =>
      (await sett.artefacts(goal)).find(({ type }) => !notMade.includes(type));
    const happened = async () =>
      `${(await sett.sett("logs", use)).out}\n${await server.requests()}`;
    const result = await waitFor("the commit", find, { timeoutMs: 300_000, happened });
    if (result.type !== "CodeCommit") throw new Error(`${result.payload}\n${await happened()}`);
    return result;
  };
  const end = async () => {
    await server[Symbol.asyncDispose]();
    await sett[Symbol.asyncDispose]();
  };
  return { sett, server, goal, made, [Symbol.asyncDispose]: end };
}

for (const row of rows) {
  nightly(`${row.use} makes a commit, from three commands and a key`, async () => {
    await using scene = await atWork(row, plan(row));
    const { sett } = scene;
    const result = await scene.made();
    expect(await sett.git("show", `${result.payload}:greeting.txt`)).toBe("hello");
    expect(await sett.git("diff", "--name-only", "HEAD", result.payload)).toBe("greeting.txt");
  });
}

for (const row of rows) {
  nightly(`what a person says meanwhile reaches ${row.use} after its next tool`, async () => {
    const command = `until [ -s "$SETT_REMARKS" ]; do sleep 0.2; done; echo hello > greeting.txt`;
    const run = { name: row.shell, arguments: { [row.argument]: command, description: "Works" } };
    await using scene = await atWork(row, [
      { match: { turnIndex: 0 }, response: { toolCalls: [run], usage } },
      { match: { turnIndex: 1 }, response: { content: "It is polite.", usage } },
    ]);
    const { sett, goal } = scene;
    await sett.need("tell", goal, "Be polite, also to badgers.");
    const result = await scene.made();
    expect(await sett.need("unearth", result.id, "--transcript")).toContain(
      "Be polite, also to badgers.",
    );
    expect(
      await sett.need("watch", "--no-follow", "--type", "grant_done", "--output", "jsonl"),
    ).toContain(`"remarks":"`);
  });
}

for (const row of rows) {
  nightly(`a question of ${row.use} waits for a person, whose answer it gets`, async () => {
    const run = (command: string) => ({
      toolCalls: [
        { name: row.shell, arguments: { [row.argument]: command, description: "Works" } },
      ],
      usage,
    });
    await using scene = await atWork(row, [
      {
        match: { turnIndex: 0, userMessage: "Say ahoy" },
        response: run("echo ahoy > greeting.txt"),
      },
      { match: { turnIndex: 0 }, response: run('echo "Which greeting?" > "$SETT_ASK"') },
      { match: { turnIndex: 1 }, response: { content: "That is all.", usage } },
    ]);
    const { sett, goal } = scene;
    const question = await waitFor("the question", async () =>
      (await sett.artefacts(goal)).find(({ type }) => type === "Question"),
    );
    expect(question.payload).toContain("Which greeting?");
    await sett.need("answer", question.id, "Say ahoy.");
    const result = await scene.made();
    expect(await sett.git("show", `${result.payload}:greeting.txt`)).toBe("ahoy");
  });
}
