// The steps of `npm test`, and what `just nightly` runs beyond them: test/README.md says which test
// belongs where.

import { dirname, join } from "node:path";
import { countBunTests, type Outcome, processorMsOf } from "./bun-tests.ts";
import { measureCoverage } from "./coverage.ts";

/**
 * `after`: the steps that must be over before, where they were chosen, too. `output`: a file
 * descriptor, or our own output.
 */
export type Step = {
  name: string;
  after: readonly string[];
  run: (output: "inherit" | number) => Promise<Outcome & { words?: string }>;
};

/**
 * `isNight`: with the tests that are marked `nightly`, and with the long sweeps. `linesFolder`:
 * where the groups leave which lines they have run; nowhere, unless it is asked for.
 */
type Run = { isNight: boolean; linesFolder: string | undefined };

type Group = Omit<Parameters<typeof countBunTests>[0], "root" | "output">;

const root = dirname(import.meta.dir);
const hour = 3_600_000;
const tool = (name: string) => `node_modules/.bin/${name}`;

/** The steps that build what tests start. */
const built = ["binaries", "images"];
/** Files whose tests are all for the night, so that their preparations cost nothing by day. */
const nightFiles = "**/*.nightly.test.ts";

/**
 * The groups of tests are the folders below test/: test/README.md. Only `unit` needs no Redis and
 * no Docker.
 */
const unit = ["unit/**/*.test.ts"];
const agents = ["integration/agents/**/*.test.ts"];
const cli = ["integration/cli/**/*.test.ts"];
/**
 * These tests hold only where the command line is a process of its own. Each line that the others
 * run is counted.
 */
const cliProcess = [
  "integration/cli/{add,add-image,doctor,first-sett,init,runtimes,ui,validate,waits-of-git,wrong-use}.test.ts",
];
/** They keep a processor busy, while most others wait for containers. */
const suites = ["integration/blackboard/**/*.test.ts", "chaos/**/*.test.ts"];
/** It needs nothing that is built. */
const simulation = ["simulation/**/*.test.ts"];
/**
 * These need the packages, which take a minute and a half of a processor to make and to unpack: by
 * day the job `package` of the workflow makes and tries those of each push.
 */
const packaged = ["e2e/package.test.ts"];

/** In the order in which they are listed; each begins as soon as those that it needs have ended. */
export function stepsOf(run: Run): Step[] {
  const day = [...checks(), ...groups(run), coverage(run)];
  if (!run.isNight) return day;
  const packages = [
    check("package", [tool("bun"), ".ci/package.ts", "--quick"], built),
    group(run, "packaged", { include: packaged }, ["package"]),
  ];
  const all = [...day, denoTypes(), ...packages];
  return [...all, ...sweeps(all.map(({ name }) => name))];
}

function checks(): Step[] {
  return [
    check("binaries", [tool("bun"), ".ci/build.ts"]),
    check("images", [tool("bun"), ".ci/images.ts"], ["binaries"]),
    check("lint", [tool("biome"), "ci", "--error-on-warnings", "."]),
    // Each of several checkers reads the same types again: two thirds of the processor.
    check("types", [tool("tsc"), "--noEmit", "--checkers", "1"]),
    check("dead-code", [tool("knip"), "--no-progress"]),
    check("workflows", [tool("bun"), ".ci/lint-workflows.ts"]),
    check("collector", [tool("bun"), ".ci/go.ts", "collector"]),
    // Go compiles once what both programs have in common.
    check("verify", [tool("bun"), ".ci/go.ts", "verify"], ["collector"]),
  ];
}

/**
 * The services also run under Deno, whose types differ in trifles. By day
 * test/integration/programs/deno.test.ts runs them.
 */
function denoTypes(): Step {
  return check("deno-types", [
    tool("deno"),
    "check",
    "apps/orchestrator/main.ts",
    "apps/gateway/main.ts",
    "apps/cub/main.ts",
    // Deno does not find the types of the SDK for MCP: of the API, all but what puts it together.
    "apps/api/access/gate.ts",
    ...new Bun.Glob("apps/api/routes/*.ts").scanSync(root),
  ]);
}

function group(run: Run, name: string, tests: Partial<Group>, after: readonly string[]): Step {
  const { include = [], exclude = [], workers = 1, env } = tests;
  // The limits are for a machine that is busy with other things.
  const limits = { timeoutMs: 600_000, limitMs: run.isNight ? 3 * hour : hour };
  const options: Group = {
    ...{ ...limits, include, workers },
    exclude: run.isNight ? exclude : [...exclude, nightFiles],
    env: { ...env, ...(run.isNight && { SETT_NIGHTLY: "1" }) },
    ...(counted.includes(name) && { linesTo: linesOf(run, name) }),
  };
  return { name, after, run: (output) => countBunTests({ root, ...options, output }) };
}

/**
 * There are more workers than processors, since many tests wait for a container. More than these
 * made nothing sooner: each test only took longer, and met limits of time that no user meets. A
 * group that waits for another, without needing what that one makes, takes over its workers: so
 * the machine has as much to do at the end as in the middle.
 */
function groups(run: Run): Step[] {
  return [
    group(run, "unit", { include: unit, workers: 2 }, []),
    group(
      run,
      "end-to-end",
      { include: ["e2e/**/*.test.ts"], exclude: packaged, workers: 2 },
      built,
    ),
    group(run, "agents", { include: [...agents, ...cliProcess] }, built),
    // Lines are counted in the tests' own process alone: test/support/cli/sett-in-process.ts.
    group(
      run,
      "command-line",
      { include: cli, exclude: cliProcess, env: { SETT_COUNT_LINES: "1" } },
      built,
    ),
    group(
      run,
      "integration",
      {
        include: ["integration/**/*.test.ts"],
        exclude: [...agents, ...cli, ...suites],
        workers: 4,
      },
      [...built, "collector"],
    ),
    // It begins first, since its longest test is the longest of all for one processor.
    group(run, "simulation", { include: simulation }, []),
    group(run, "suites", { include: suites }, [...built, "agents"]),
    group(run, "security", { include: ["security/**/*.test.ts"] }, [...built, "unit"]),
  ];
}

/** The groups whose lines are counted. */
const counted = ["unit", "command-line", "integration", "simulation", "suites"];

function linesOf({ linesFolder }: Run, name: string): string | undefined {
  return linesFolder && join(linesFolder, name);
}

function coverage(run: Run): Step {
  return {
    name: "coverage",
    after: counted,
    run: async () => {
      const reports = counted.flatMap((name) => linesOf(run, name) ?? []);
      const { isEnough, words } = await measureCoverage(root, reports);
      return { passed: isEnough ? 1 : 0, failed: isEnough ? 0 : 1, words };
    },
  };
}

/** Each night has other seeds: what has passed once passes again. A failure names its own. */
function seedsOfTonight(option: string, count: number): string[] {
  const day = Math.floor(Date.now() / (24 * hour));
  return ["--seed", String(day * count), option, String(count)];
}

/** Each takes the whole machine for minutes or hours, so they come after all else, one by one. */
function sweeps(others: readonly string[]): Step[] {
  const eachRequest = ["env", "SETT_EACH_REQUEST=1", tool("bun"), "test"];
  const simulate = [tool("bun"), "run", "test/simulation/simulate.ts"];
  const commands: [string, string[]][] = [
    ["chaos", [tool("bun"), "run", "test/chaos/chaos.ts", ...seedsOfTonight("--runs", 20)]],
    ["schedules", [...simulate, ...seedsOfTonight("--schedules", 50_000), "--jobs", "2"]],
    [
      "worker-schedules",
      [...simulate, "--kind", "workers", ...seedsOfTonight("--schedules", 10_000), "--jobs", "2"],
    ],
    ["rare-defects", [...simulate, "--defects", "--jobs", "2"]],
    [
      "each-request",
      [...eachRequest, "test/e2e/engine-faults.nightly.test.ts", "-t", "ends in time, says"],
    ],
  ];
  const names = commands.map(([name]) => name);
  return commands.map(([name, command], at) =>
    check(name, command, [...others, ...names.slice(0, at)]),
  );
}

function check(name: string, command: string[], after: readonly string[] = []): Step {
  return {
    name,
    after,
    run: async (output) => {
      const started = Bun.spawn(command, { cwd: root, stdio: ["ignore", output, output] });
      const isPassed = (await started.exited) === 0;
      const processorMs = processorMsOf(started);
      return { passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1, processorMs };
    },
  };
}
