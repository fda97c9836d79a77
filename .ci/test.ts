// Everything that CI runs: `npm test`. Names select: `bun .ci/test.ts lint unit`. `--nightly` adds
// what is too long for every run: `just nightly`.
//
// A failed step does not stop the others, so that one run shows every failure. Each check counts as
// one test. Steps run at the same time: each starts when the steps that it needs have ended, and
// prints its output when it has ended. Nothing that they use has a fixed name, port or folder, so
// several runs may run at the same time, too. The failed tests are named once more at the end. The
// last line is `N passed, N failed`, and `, N skipped` where some were; the exit code is 1 when
// anything failed.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withBufferedOutput } from "./buffer-output.ts";
import { reportFailure } from "./report-failure.ts";
import { type Step, stepsOf } from "./test-steps.ts";

const root = dirname(import.meta.dir);
const words = process.argv.slice(2);
const names = words.filter((word) => word !== "--nightly");
const linesFolder =
  names.length === 0 || names.includes("coverage")
    ? await mkdtemp(join(tmpdir(), "sett-lines-"))
    : undefined;
const steps = stepsOf({ isNight: words.includes("--nightly"), linesFolder });

const unknown = names.find((name) => !steps.some((step) => step.name === name));
if (unknown !== undefined) {
  reportFailure(`There is no step ${unknown}: use ${steps.map(({ name }) => name).join(", ")}.`);
}

// A branch may have brought other versions: what is installed is then replaced before anything
// runs.
await Bun.$`node .ci/setup.mjs --checks`.cwd(root);

const total = { passed: 0, failed: 0, skipped: 0 };
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
  const { passed, failed, skipped = 0, failures = [], words, processorMs } = await run();
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  failedTests.push(...failures);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`.padStart(9);
  const took = seconds(performance.now() - startedAt);
  const processor = processorMs === undefined ? "" : seconds(processorMs);
  const sign = failed === 0 ? "ok    " : "FAILED";
  report.push(
    `${sign} ${name.padEnd(12)}${took}${processor.padStart(10)}   ${words ?? countsOf({ passed, failed, skipped })}`,
  );
}

function countsOf({ passed, failed, skipped }: typeof total): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}

console.log(`\n       step             took processor\n${report.join("\n")}\n`);
for (const failure of failedTests) console.log(`FAILED ${failure}\n`);
console.log(countsOf(total));
process.exitCode = total.failed === 0 ? 0 : 1;
