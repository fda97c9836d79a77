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

/** What its model answers where it makes a commit, hears a remark, and asks a question. */
type Answers = { commit: object[]; heed: object[]; ask: object[] };

type Row = { use: string; provider: "anthropic" | "openai"; answers: Answers };

const rows: Row[] = [
  { use: "claude-code", provider: "anthropic", answers: byCommands("Bash", "command") },
  { use: "codex", provider: "openai", answers: byCommands("exec_command", "cmd") },
  { use: "opencode", provider: "anthropic", answers: byCommands("bash", "command") },
  { use: "pi", provider: "anthropic", answers: byCommands("bash", "command") },
  { use: "qwen-code", provider: "openai", answers: byCommands("run_shell_command", "command") },
  {
    use: "mini-swe-agent",
    provider: "openai",
    answers: byCommands("bash", "command", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"),
  },
  { use: "aider", provider: "anthropic", answers: byBlocks() },
];

/**
 * `shell`: the tool that runs a command, with the name of its argument. `end`: the command that
 * says that all is done, where words do not.
 */
function byCommands(shell: string, argument: string, end?: string): Answers {
  const run = (turnIndex: number, command: string, match = {}) => ({
    match: { turnIndex, ...match },
    response: {
      toolCalls: [{ name: shell, arguments: { [argument]: command, description: "Works" } }],
      usage,
    },
  });
  const done = (turnIndex: number) =>
    end === undefined
      ? { match: { turnIndex }, response: { content: "That is all.", usage } }
      : run(turnIndex, end);
  const look = 'until [ -s "$SETT_REMARKS" ]; do sleep 0.2; done; echo hello > greeting.txt';
  return {
    // Looks around, writes a file, looks again, and is done.
    commit: [
      run(0, "ls"),
      run(1, "echo hello > greeting.txt"),
      run(2, "cat greeting.txt"),
      done(3),
    ],
    heed: [run(0, look), done(1)],
    ask: [
      run(0, "echo ahoy > greeting.txt", { userMessage: "Say ahoy" }),
      run(0, 'echo "Which greeting?" > "$SETT_ASK"'),
      done(1),
    ],
  };
}

/** Each answer is the change itself. */
function byBlocks(): Answers {
  const write = (userMessage: string, file: string, line: string) => ({
    match: { userMessage },
    response: {
      content: `${file}\n\`\`\`\n<<<<<<< SEARCH\n=======\n${line}\n>>>>>>> REPLACE\n\`\`\`\n`,
      usage,
    },
  });
  const polite = { match: { userMessage: "Be polite" }, response: { content: "Done.", usage } };
  const hello = write("Write a greeting", "greeting.txt", "hello");
  return {
    commit: [hello],
    heed: [polite, hello],
    ask: [
      write("Say ahoy", "greeting.txt", "ahoy"),
      write("Write a greeting", "sett-question.md", "Which greeting?"),
    ],
  };
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
    await using scene = await atWork(row, row.answers.commit);
    const { sett } = scene;
    const result = await scene.made();
    expect(await sett.git("show", `${result.payload}:greeting.txt`)).toBe("hello");
    expect(await sett.git("diff", "--name-only", "HEAD", result.payload)).toBe("greeting.txt");
  });
}

for (const row of rows) {
  nightly(`what a person says meanwhile reaches ${row.use} after its next tool`, async () => {
    await using scene = await atWork(row, row.answers.heed);
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
    await using scene = await atWork(row, row.answers.ask);
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
