// docs/guides/ci.md: its workflow and its tasks, run as a runner and an editor would run them, for
// a goal that is reached and one that is not.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { lintWorkflows } from "../../.ci/lint-workflows.ts";
import { openBrokenLine } from "../support/docs/broken-line.ts";
import { runIn, runJob, workflowFile, writeSett } from "../support/docs/ci-job.ts";
import { fileWrittenBy, readPage } from "../support/docs/pages.ts";
import { freePort } from "../support/redis/redis-server.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

setDefaultTimeout(600_000);

const page = "docs/guides/ci.md";
const written = (file: string) => fileWrittenBy(page, file);
/** The API, which the page adds to its sett.yml. */
const added = () => /\ncat >> sett\.yml <<'END'\n([\s\S]*?)^END$/m.exec(readPage(page))?.[1] ?? "";
const token = randomBytes(32).toString("hex");

let bin: string;
let sett: ProcessSett;
let port: number;

beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), "sett-ci-"));
  await writeSett(bin);
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

const run = (words: string[], env: Record<string, string> = {}) => runIn(sett, words, env);

test("the workflow is one that a runner takes", async () => {
  const mistakes = await lintWorkflows(join(sett.folder, ".github"));
  // Our own workflows pin actions by their commits, which a page would not keep up to date.
  expect(mistakes.filter((mistake) => !mistake.includes("is not pinned"))).toEqual([]);
});

describe("the job with a sett of its own", () => {
  test("succeeds with its goal, and keeps what was made", async () => {
    const steps = await runJob(sett, "Water the roses");
    expect(steps.map(({ step, code }) => [step, code])).toEqual([
      ["Start the sett", 0],
      ["State the goal, and wait", 0],
      ["Keep what was made", 0],
    ]);
  });

  test("fails with its goal, and says why in one line, whatever an agent has written", async () => {
    const steps = await runJob(sett, "Mow the lawn\n::set-output name=x::y");
    expect(steps.map(({ step, code }) => [step, code])).toEqual([
      ["Start the sett", 0],
      ["State the goal, and wait", 3],
      ["Say why it failed", 0],
      ["Keep what was made", 0],
    ]);
    const said = steps[2]?.out.trimEnd() ?? "";
    expect(said).toBe(
      "::error title=sett::ToolExecutionFailure: The tool ended with exit code 1: ::set-output name=x::y",
    );
    expect(
      steps
        .flatMap(({ out, err }) => `${out}${err}`.split("\n"))
        .filter((line) => line.startsWith("::set-output")),
    ).toEqual([]);
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
      await run(["ci/forage.sh", "Mow the lawn"], {
        ...asking(),
        GITHUB_RUN_ID: "7",
        GITHUB_RUN_ATTEMPT: "1",
      }),
    ];
    expect([watered.code, watered.out]).toEqual([
      0,
      expect.stringMatching(/It is at rest: (?:achieved|settled)\.\n$/),
    ]);
    expect(mown.code).toBe(3);
    expect(mown.out).toEndWith("It is at rest: failed.\n");
    expect(mown.err).toMatch(
      /^ToolExecutionFailure by gardener: .*I only water, and this is: Mow the lawn\n$/,
    );
  });

  test("takes a repeated request for the same goal, and no other token", async () => {
    const again = await run(["ci/forage.sh", "Mow the lawn"], {
      ...asking(),
      GITHUB_RUN_ID: "7",
      GITHUB_RUN_ATTEMPT: "1",
    });
    expect(again.code).toBe(3);
    const goals: { goals: unknown[] } = JSON.parse(await sett.need("status", "--json"));
    expect(goals.goals).toHaveLength(2);
    const refused = await run(["ci/forage.sh", "Water the roses"], {
      ...asking(),
      SETT_TOKEN: "x".repeat(64),
    });
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("The token is not known."),
    ]);
  });

  test("is asked for several goals by one job, also for the same one in two steps", async () => {
    const job = { ...asking(), GITHUB_RUN_ID: "8", GITHUB_RUN_ATTEMPT: "1", GITHUB_JOB: "forage" };
    const goals = await Promise.all([
      run(["ci/forage.sh", "Water the lilies"], { ...job, GITHUB_ACTION: "__run" }),
      run(["ci/forage.sh", "Water the tulips"], { ...job, GITHUB_ACTION: "__run" }),
      run(["ci/forage.sh", "Water the tulips"], { ...job, GITHUB_ACTION: "__run_2" }),
    ]);
    expect(goals.map(({ code, err }) => [code, err])).toEqual([0, 1, 2].map(() => [0, ""]));
    expect(new Set(goals.map(({ out }) => out.split("\n")[0])).size).toBe(3);
  });

  test("is asked again where the connection breaks, and is said to be out of reach where it stays broken", async () => {
    await using line = await openBrokenLine(port);
    await mkdir(join(bin, "at-once"), { recursive: true });
    await writeFile(join(bin, "at-once/sleep"), "#!/bin/sh\n", { mode: 0o755 });
    const env = {
      ...asking(),
      SETT_URL: line.url,
      PATH: `${join(bin, "at-once")}:${sett.environment.PATH}`,
    };
    line.breaks = 3;
    const watered = await run(["ci/forage.sh", "Water the daisies"], env);
    expect([watered.code, watered.out]).toEqual([
      0,
      expect.stringMatching(/It is at rest: (?:achieved|settled)\.\n$/),
    ]);
    line.breaks = Number.POSITIVE_INFINITY;
    const cut = await run(["ci/forage.sh", "Water the daisies"], env);
    expect([cut.code, cut.out]).toEqual([1, ""]);
    expect(cut.err.trimEnd().split("\n").at(-1)).toBe(`The API does not answer at ${line.url}.`);
  });

  test("is not taken for another program that answers there", async () => {
    await using page = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("<html>Sign in</html>"),
    });
    const { code, out, err } = await run(["ci/forage.sh", "Water the daisies"], {
      ...asking(),
      SETT_URL: page.url.origin,
    });
    expect([code, out, err]).toEqual([
      1,
      "",
      `What answers at ${page.url.origin} is no API of Sett (status 200).\n`,
    ]);
  });

  test("has tasks for an editor, which gives them the goal as an argument", async () => {
    const { tasks } = JSON.parse(written(".vscode/tasks.json")) as {
      tasks: { label: string; type: string; command: string; args: string[] }[];
    };
    expect(tasks.map(({ type }) => type)).toEqual(["process", "process", "process"]);
    const goal = `Water "the $(roses)"; exit 9`;
    const filled = (text: string) =>
      text.replace(/\$\{input:goal\}/, () => goal).replace(/\$\{workspaceFolder\}/, sett.folder);
    for (const { command, args } of tasks.slice(0, 2)) {
      const { code, out, err } = await run([filled(command), ...args.map(filled)], asking());
      expect({ code, said: `${out}${err}` }).toEqual({
        code: 0,
        said: expect.stringMatching(/(?:achieved|settled)\./),
      });
    }
    const { goals } = JSON.parse(await sett.need("status", "--json")) as {
      goals: { summary: string }[];
    };
    expect(goals.filter(({ summary }) => summary === goal)).toHaveLength(2);
  });
});
