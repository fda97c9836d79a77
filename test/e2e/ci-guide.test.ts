// docs/guides/ci.md: its workflow and its tasks, run as a runner and an editor would run them, for a goal that is reached and one that is not.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parse } from "yaml";
import { lintWorkflows } from "../../.ci/lint-workflows.ts";
import { type Finished, finished } from "../support/cli/finished.ts";
import { fileWrittenBy, readPage } from "../support/docs/pages.ts";
import { freePort } from "../support/redis/redis-server.ts";
import { root } from "../support/root.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

setDefaultTimeout(300_000);

const page = "docs/guides/ci.md";
const written = (file: string) => fileWrittenBy(page, file);
const workflowFile = ".github/workflows/agents.yml";
/** The API, which the page adds to its sett.yml. */
const added = () => /\ncat >> sett\.yml <<'END'\n([\s\S]*?)^END$/m.exec(readPage(page))?.[1] ?? "";
const token = randomBytes(32).toString("hex");

let bin: string;
let sett: ProcessSett;
let port: number;

beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), "sett-ci-"));
  // A runner has an Engine. Without one, the same commands start processes.
  const program = `#!/bin/sh\nif [ "$1" = up ]; then shift; set -- up --runtime process "$@"; fi\nexec ${join(root, "bin/sett")} "$@"\n`;
  await writeFile(join(bin, "sett"), program, { mode: 0o755 });
  port = await freePort();
  await writeFile(join(bin, "token"), `${token}\n`);
  const withApi = `${written("sett.yml")}${added()}`
    .replace("8461", String(port))
    .replace("~/.sett-ci-token", join(bin, "token"));
  sett = await ProcessSett.create(withApi, {
    "agents/gardener/run.sh": written("agents/gardener/run.sh"),
    "agents/gardener/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
    "ci/forage.sh": written("ci/forage.sh"),
    [workflowFile]: written(workflowFile),
    ".vscode/tasks.json": written(".vscode/tasks.json"),
  });
  sett.env = { PATH: `${bin}:${process.env.PATH}` };
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  if (bin !== undefined) await rm(bin, { recursive: true, force: true });
});

async function run(words: string[], env: Record<string, string> = {}): Promise<Finished> {
  const options = { cwd: sett.folder, env: { ...sett.environment, ...env } } as const;
  return await finished(Bun.spawn(words, { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" }));
}

test("the workflow is one that a runner takes", async () => {
  const mistakes = await lintWorkflows(join(sett.folder, ".github"));
  // Our own workflows pin actions by their commits, which a page would not keep up to date.
  expect(mistakes.filter((mistake) => !mistake.includes("is not pinned"))).toEqual([]);
});

type Step = { name?: string; run?: string; if?: string; env?: Record<string, string> };

/** Each step as the runner does it: `bash -e` with its variables. The steps that install something are the runner's own affair. */
async function runJob(goal: string): Promise<(Finished & { step: string })[]> {
  const { jobs } = parse(written(workflowFile)) as { jobs: Record<string, { steps: Step[] }> };
  const values: Record<string, string> = { "inputs.goal": goal };
  const done: (Finished & { step: string })[] = [];
  let hasFailed = false;
  for (const { name: step = "", run: script, if: condition, env = {} } of jobs.forage?.steps ?? []) {
    if (script === undefined || script.startsWith("npm ")) continue;
    const isRun = condition === "always()" || (condition === "failure()" ? hasFailed : !hasFailed);
    if (!isRun) continue;
    const variables = Object.entries(env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ (.*?) \}\}/, (_, key) => values[key] ?? ""),
    ]);
    const ended = await run(["bash", "-e", "-o", "pipefail", "-c", script], {
      ...Object.fromEntries(variables),
      GITHUB_ACTOR: "ada",
    });
    hasFailed ||= ended.code !== 0;
    done.push({ step, ...ended });
  }
  // What the job has made stays with the runner.
  await rm(join(sett.folder, "artefacts.json"), { force: true });
  return done;
}

describe("the job with a sett of its own", () => {
  test("succeeds with its goal, and keeps what was made", async () => {
    const steps = await runJob("Water the roses");
    expect(steps.map(({ step, code }) => [step, code])).toEqual([
      ["Start the sett", 0],
      ["State the goal, and wait", 0],
      ["Keep what was made", 0],
    ]);
  });

  test("fails with its goal, and says why in one line, whatever an agent has written", async () => {
    const steps = await runJob("Mow the lawn\n::set-output name=x::y");
    expect(steps.map(({ step, code }) => [step, code])).toEqual([
      ["Start the sett", 0],
      ["State the goal, and wait", 3],
      ["Say why it failed", 0],
      ["Keep what was made", 0],
    ]);
    const said = steps[2]?.out.trimEnd() ?? "";
    expect(said).toBe("::error title=sett::ToolExecutionFailure: The tool ended with exit code 1: ::set-output name=x::y");
    expect(steps.flatMap(({ out, err }) => `${out}${err}`.split("\n")).filter((line) => line.startsWith("::set-output"))).toEqual(
      [],
    );
  });
});

describe("a sett that is there", () => {
  const asking = () => ({ SETT_URL: `http://127.0.0.1:${port}`, SETT_TOKEN: token });

  beforeAll(async () => {
    await sett.up();
  });

  test("is asked over its API: the script waits, and its exit code says how the goal ended", async () => {
    const [watered, mown] = [
      await run(["ci/forage.sh", "Water the roses"], asking()),
      await run(["ci/forage.sh", "Mow the lawn"], { ...asking(), GITHUB_RUN_ID: "7", GITHUB_RUN_ATTEMPT: "1" }),
    ];
    expect([watered.code, watered.out]).toEqual([0, expect.stringMatching(/It is at rest: (?:achieved|settled)\.\n$/)]);
    expect(mown.code).toBe(3);
    expect(mown.out).toEndWith("It is at rest: failed.\n");
    expect(mown.err).toMatch(/^ToolExecutionFailure by gardener: .*I only water, and this is: Mow the lawn\n$/);
  });

  test("takes a repeated request for the same goal, and no other token", async () => {
    const again = await run(["ci/forage.sh", "Mow the lawn"], { ...asking(), GITHUB_RUN_ID: "7", GITHUB_RUN_ATTEMPT: "1" });
    expect(again.code).toBe(3);
    const goals: { goals: unknown[] } = JSON.parse(await sett.need("status", "--json"));
    expect(goals.goals).toHaveLength(2);
    const refused = await run(["ci/forage.sh", "Water the roses"], { ...asking(), SETT_TOKEN: "x".repeat(64) });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("The token is not known.")]);
  });

  test("has tasks for an editor, which gives them the goal as an argument", async () => {
    const { tasks } = JSON.parse(written(".vscode/tasks.json")) as {
      tasks: { label: string; type: string; command: string; args: string[] }[];
    };
    expect(tasks.map(({ type }) => type)).toEqual(["process", "process", "process"]);
    const goal = `Water "the $(roses)"; exit 9`;
    const filled = (text: string) => text.replace(/\$\{input:goal\}/, () => goal).replace(/\$\{workspaceFolder\}/, sett.folder);
    for (const { command, args } of tasks.slice(0, 2)) {
      const { code, out, err } = await run([filled(command), ...args.map(filled)], asking());
      expect({ code, said: `${out}${err}` }).toEqual({ code: 0, said: expect.stringMatching(/(?:achieved|settled)\./) });
    }
    const { goals } = JSON.parse(await sett.need("status", "--json")) as { goals: { summary: string }[] };
    expect(goals.filter(({ summary }) => summary === goal)).toHaveLength(2);
  });
});
