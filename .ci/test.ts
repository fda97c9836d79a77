// Everything that CI runs: `npm test`. Names select: `bun .ci/test.ts lint unit`.
//
// A failed step does not stop the others, so that one run shows every failure. Each check counts as
// one test. Steps run at the same time: each starts when the steps that it needs have ended, and
// prints its output when it has ended. Nothing that they use has a fixed name, port or folder, so
// several runs may run at the same time, too. The failed tests are named once more at the end. The
// last line is `N passed, N failed`; the exit code is 1 when anything failed.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withBufferedOutput } from "./buffer-output.ts";
import { countBunTests, type Outcome } from "./bun-tests.ts";
import { measureCoverage } from "./coverage.ts";
import { reportFailure } from "./report-failure.ts";

/**
 * `after`: the steps that must be over before, where they were chosen, too. `output`: a file
 * descriptor, or our own output.
 */
type Step = {
  name: string;
  after: readonly string[];
  run: (output: "inherit" | number) => Promise<Outcome & { words?: string }>;
};

const root = dirname(import.meta.dir);
const names = process.argv.slice(2);
/** Where the groups leave which lines they have run; nowhere, unless it is asked for. */
const linesFolder =
  names.length === 0 || names.includes("coverage")
    ? await mkdtemp(join(tmpdir(), "sett-lines-"))
    : undefined;
const tool = (name: string) => `node_modules/.bin/${name}`;

/**
 * The groups of tests are the folders below test/: test/README.md. Only `unit` needs no Redis and
 * no Docker.
 */
const unit = ["unit/**/*.test.ts"];
const agents = ["integration/agents/**/*.test.ts"];
const cli = ["integration/cli/**/*.test.ts"];
/**
 * What these say is true only where the command line is a process of its own. Of the others each
 * line that was run is counted.
 */
const cliProcess = [
  "integration/cli/{doctor,first-sett,init,runtimes,ui,validate,waits-of-git,wrong-use}.test.ts",
];
const endToEnd = ["{e2e,security}/**/*.test.ts"];
/** What needs the packages, which take a while to make. */
const packaged = ["e2e/package.test.ts"];
const integration = {
  include: ["{integration,chaos,simulation}/**/*.test.ts"],
  exclude: [...agents, ...cli],
};

const hour = 3_600_000;
/**
 * The command line runs in the tests' own process, because lines are counted only there:
 * test/support/cli/sett-in-process.ts.
 */
const here = { SETT_COUNT_LINES: "1" };
/** The steps that build what tests start. */
const built = ["binaries", "images"];

/**
 * The limits are for a machine that is busy with other things. More workers than processors, since
 * most tests mostly wait.
 */
const steps: Step[] = [
  check("binaries", [tool("bun"), ".ci/build.ts"]),
  check("images", [tool("bun"), ".ci/images.ts"], ["binaries"]),
  check("lint", [tool("biome"), "ci", "--error-on-warnings", "."]),
  check("types", [tool("tsc"), "--noEmit"]),
  check("dead-code", [tool("knip"), "--no-progress"]),
  check("workflows", [tool("bun"), ".ci/lint-workflows.ts"]),
  check("collector", [tool("bun"), ".ci/collector.ts"]),
  check("deno-types", [
    tool("deno"),
    "check",
    "apps/orchestrator/main.ts",
    "apps/gateway/main.ts",
    "apps/cub/main.ts",
    // Deno does not find the types of the SDK for MCP: of the API, all but what puts it together.
    "apps/api/access/gate.ts",
    ...new Bun.Glob("apps/api/routes/*.ts").scanSync(root),
  ]),
  tests("unit", {
    include: unit,
    timeoutMs: 300_000,
    limitMs: hour,
    workers: 2,
    linesTo: linesOf("unit"),
  }),
  tests(
    "end-to-end",
    { include: endToEnd, exclude: packaged, timeoutMs: 600_000, limitMs: hour, workers: 3 },
    built,
  ),
  tests(
    "agents",
    { include: [...agents, ...cliProcess], timeoutMs: 480_000, limitMs: hour, workers: 2 },
    built,
  ),
  tests(
    "command-line",
    {
      include: cli,
      exclude: cliProcess,
      ...{ timeoutMs: 480_000, limitMs: hour, workers: 1 },
      linesTo: linesOf("cli"),
      env: here,
    },
    built,
  ),
  tests(
    "integration",
    {
      ...integration,
      timeoutMs: 480_000,
      limitMs: hour,
      workers: 2,
      linesTo: linesOf("integration"),
    },
    [...built, "collector"],
  ),
  check("package", [tool("bun"), ".ci/package.ts", "--quick"], built),
  tests("packaged", { include: packaged, timeoutMs: 600_000, limitMs: hour, workers: 1 }, [
    "package",
  ]),
  { name: "coverage", after: ["unit", "integration", "command-line"], run: checkCoverage },
];

function check(name: string, command: string[], after: readonly string[] = []): Step {
  return {
    name,
    after,
    run: async (output) => {
      const isPassed =
        (await Bun.spawn(command, { cwd: root, stdio: ["ignore", output, output] }).exited) === 0;
      return { passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1 };
    },
  };
}

type Group = Omit<Parameters<typeof countBunTests>[0], "root" | "output">;

function tests(name: string, group: Group, after: readonly string[] = []): Step {
  return { name, after, run: (output) => countBunTests({ root, ...group, output }) };
}

function linesOf(name: string): string | undefined {
  return linesFolder && join(linesFolder, name);
}

async function checkCoverage(): Promise<Outcome & { words: string }> {
  const reports = ["unit", "integration", "cli"].flatMap((name) => linesOf(name) ?? []);
  const { isEnough, words } = await measureCoverage(root, reports);
  return { passed: isEnough ? 1 : 0, failed: isEnough ? 0 : 1, words };
}

const unknown = names.find((name) => !steps.some((step) => step.name === name));
if (unknown !== undefined) {
  reportFailure(`There is no step ${unknown}: use ${steps.map(({ name }) => name).join(", ")}.`);
}

// A branch may have brought other versions: what is installed is then replaced before anything
// runs.
await Bun.$`node .ci/setup.mjs --checks`.cwd(root);

const total = { passed: 0, failed: 0 };
const failedTests: string[] = [];
const report: string[] = [];
const chosen = steps.filter((step) => names.length === 0 || names.includes(step.name));
const running = new Map<string, Promise<void>>();
// A step starts only when all steps are in `running`.
for (const step of chosen)
  running.set(
    step.name,
    Promise.resolve().then(() => start(step)),
  );
await Promise.all(running.values());
if (linesFolder !== undefined) await rm(linesFolder, { recursive: true });

async function start({ name, after, run }: Step): Promise<void> {
  await Promise.all(after.map((other) => running.get(other)));
  const title = `\n── ${name} ──`;
  if (chosen.length > 1) return await count(name, () => withBufferedOutput(title, run));
  console.log(title);
  await count(name, () => run("inherit"));
}

async function count(name: string, run: () => ReturnType<Step["run"]>): Promise<void> {
  const startedAt = performance.now();
  const { passed, failed, failures = [], words } = await run();
  total.passed += passed;
  total.failed += failed;
  failedTests.push(...failures);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  report.push(
    `${failed === 0 ? "ok    " : "FAILED"} ${name.padEnd(12)} ${seconds.padStart(7)} s   ${words ?? `${passed} passed, ${failed} failed`}`,
  );
}

console.log(`\n${report.join("\n")}\n`);
for (const failure of failedTests) console.log(`FAILED ${failure}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
