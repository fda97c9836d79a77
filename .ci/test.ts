// Everything that CI runs, in order: `npm test`. Names select: `bun .ci/test.ts lint unit`.
//
// A failed step does not stop the others, so that one run shows all there is to mend. Each check counts as one test. The steps that
// mostly wait, for containers, leases and deadlines, run beside each other, and each prints when it is over: nothing that they use has a
// fixed name, port or folder, so that whole runs go beside each other, too. The last line is `N passed, N failed`; the exit code is
// 1 when anything failed.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withBufferedOutput } from "./buffer-output.ts";
import { otherArchitecture } from "./build.ts";
import { countBunTests, type Outcome } from "./bun-tests.ts";
import { measureCoverage } from "./coverage.ts";
import { reportFailure } from "./report-failure.ts";

/** `output`: a file descriptor, or our own output. `when`: beside the other patient ones, or after all the others; else in its turn. */
type Step = {
  name: string;
  when?: "beside" | "last";
  run: (output: "inherit" | number) => Promise<Outcome & { words?: string }>;
};

const root = dirname(import.meta.dir);
const names = process.argv.slice(2);
/** Where the groups leave which lines they have run; nowhere, unless it is asked for. */
const linesFolder = names.length === 0 || names.includes("coverage") ? await mkdtemp(join(tmpdir(), "sett-lines-")) : undefined;
const tool = (name: string) => `node_modules/.bin/${name}`;

/** The groups of tests are the folders below test/: test/README.md. Only `unit` needs no Redis and no Docker. */
const unit = ["unit/**/*.test.ts"];
const commandLine = ["integration/{agents,cli}/**/*.test.ts"];
const endToEnd = ["e2e/**/*.test.ts"];
const integration = { include: ["{integration,chaos}/**/*.test.ts"], exclude: commandLine };
/** What is tested as processes of their own, where nothing counts lines: run once more in the tests' own process. */
const counted = { include: ["integration/cli/**/*.test.ts"], exclude: [] };

/** The limits are for a machine that is busy with other things. The end-to-end tests need the images, so these are built before any test runs. */
const steps: Step[] = [
  check("lint", [tool("biome"), "ci", "--error-on-warnings", "."]),
  check("types", [tool("tsc"), "--noEmit"]),
  check("dead-code", [tool("knip"), "--no-progress"]),
  check("workflows", [tool("bun"), ".ci/lint-workflows.ts"]),
  check("deno-types", [tool("deno"), "check", "apps/orchestrator/main.ts", "apps/cub/main.ts"]),
  check("binaries", [tool("bun"), ".ci/build.ts"]),
  check("emulated", [tool("bun"), ".ci/build.ts", "--images-only", otherArchitecture]),
  check("images", [tool("bun"), ".ci/images.ts"]),
  check("package", [tool("bun"), ".ci/package.ts", "--quick"]),
  tests("unit", { include: unit, exclude: [], timeoutMs: 120_000, limitMs: 600_000, linesTo: linesOf("unit") }),
  beside("end-to-end", { include: endToEnd, exclude: [], timeoutMs: 600_000, limitMs: 3_600_000 }),
  beside("command-line", { include: commandLine, exclude: [], timeoutMs: 480_000, limitMs: 3_600_000 }),
  beside("integration", { ...integration, timeoutMs: 480_000, limitMs: 3_600_000, linesTo: linesOf("integration") }),
  { name: "lines-of-cli", when: "beside", run: countLinesOfCli },
  { name: "coverage", when: "last", run: checkCoverage },
];

function check(name: string, command: string[]): Step {
  return {
    name,
    run: async (output) => {
      const isPassed = (await Bun.spawn(command, { cwd: root, stdio: ["ignore", output, output] }).exited) === 0;
      return { passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1 };
    },
  };
}

type Group = Pick<Parameters<typeof countBunTests>[0], "include" | "exclude" | "timeoutMs" | "limitMs" | "linesTo">;

function tests(name: string, group: Group): Step {
  return { name, run: (output) => countBunTests({ root, ...group, output }) };
}

function beside(name: string, group: Group): Step {
  return { ...tests(name, group), when: "beside" };
}

function linesOf(name: string): string | undefined {
  return linesFolder && join(linesFolder, name);
}

/** Nothing is checked here: the command line's own group has done so, and some of its tests only mean something to a process of its own. */
async function countLinesOfCli(): Promise<Outcome & { words: string }> {
  const limits = { timeoutMs: 480_000, limitMs: 3_600_000 };
  await countBunTests({
    root,
    ...counted,
    ...limits,
    output: "ignore",
    linesTo: linesOf("cli"),
    env: { SETT_COUNT_LINES: "1" },
  });
  return { passed: 0, failed: 0, words: "checks nothing" };
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

// A branch may have brought other versions: what is installed is then replaced before anything runs.
await Bun.$`node .ci/setup.mjs --checks`.cwd(root);

const total: Outcome = { passed: 0, failed: 0 };
const report: string[] = [];
const chosen = steps.filter((step) => names.length === 0 || names.includes(step.name));
const patient = chosen.filter((step) => step.when === "beside");
const areSeveral = patient.length > 1;

for (const step of chosen) {
  if ((areSeveral && step.when === "beside") || step.when === "last") continue;
  await shown(step);
}
if (areSeveral) {
  console.log(`\n${patient.map(({ name }) => name).join(", ")} run beside each other; each is shown when it is over`);
  await Promise.all(patient.map(({ name, run }) => count(name, () => withBufferedOutput(`\n── ${name} ──`, run))));
}

for (const step of chosen) if (step.when === "last") await shown(step);
if (linesFolder !== undefined) await rm(linesFolder, { recursive: true });

async function shown({ name, run }: Step): Promise<void> {
  console.log(`\n── ${name} ──`);
  await count(name, () => run("inherit"));
}

async function count(name: string, run: () => ReturnType<Step["run"]>): Promise<void> {
  const startedAt = performance.now();
  const { passed, failed, words } = await run();
  total.passed += passed;
  total.failed += failed;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  report.push(
    `${failed === 0 ? "ok    " : "FAILED"} ${name.padEnd(12)} ${seconds.padStart(7)} s   ${words ?? `${passed} passed, ${failed} failed`}`,
  );
}

console.log(`\n${report.join("\n")}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
