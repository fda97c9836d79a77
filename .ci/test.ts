// Everything that CI runs, in order: `npm test`. Names select: `bun .ci/test.ts lint unit`.
//
// A failed step does not stop the others, so that one run shows all there is to mend. Each check counts as one test. The last
// line is `N passed, N failed`; the exit code is 1 when anything failed.

import { dirname } from "node:path";
import { countBunTests, type Outcome } from "./bun-tests.ts";
import { reportFailure } from "./report-failure.ts";

type Step = { name: string; run: () => Promise<Outcome> };

const root = dirname(import.meta.dir);
const tool = (name: string) => `node_modules/.bin/${name}`;

/** No Docker, and seconds in all: of the command line's tests, those that start no Redis. The others come with the integration. */
const unit = [
  "*.test.ts",
  "{ci,config,core,model,process,service}/**/*.test.ts",
  "cli/{before-up,init-and-validate,plan,render,run-command}.test.ts",
];
const endToEnd = ["e2e/**/*.test.ts"];

/** The end-to-end tests need the images, so these are built before any test runs. */
const steps: Step[] = [
  check("lint", [tool("biome"), "ci", "--error-on-warnings", "."]),
  check("types", [tool("tsc"), "--noEmit"]),
  check("dead-code", [tool("knip"), "--no-progress"]),
  check("deno-types", [tool("deno"), "check", "apps/orchestrator/app.ts", "apps/cub/app.ts"]),
  check("deno-health", [tool("deno"), "run", "--allow-all", "test/deno/healthz.ts"]),
  check("binaries", [tool("bun"), ".ci/build.ts"]),
  check("images", [tool("bun"), ".ci/images.ts"]),
  tests("unit", { include: unit, exclude: [], timeoutMs: 20_000, limitMs: 300_000 }),
  tests("integration", { include: ["**/*.test.ts"], exclude: [...unit, ...endToEnd], timeoutMs: 60_000, limitMs: 600_000 }),
  tests("end-to-end", { include: endToEnd, exclude: [], timeoutMs: 240_000, limitMs: 1_800_000 }),
];

function check(name: string, command: string[]): Step {
  return {
    name,
    run: async () => {
      const isPassed = (await Bun.spawn(command, { cwd: root, stdio: ["ignore", "inherit", "inherit"] }).exited) === 0;
      return { passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1 };
    },
  };
}

function tests(name: string, group: Omit<Parameters<typeof countBunTests>[0], "root">): Step {
  return { name, run: () => countBunTests({ root, ...group }) };
}

const names = process.argv.slice(2);
const unknown = names.find((name) => !steps.some((step) => step.name === name));
if (unknown !== undefined) {
  reportFailure(`There is no step ${unknown}: use ${steps.map(({ name }) => name).join(", ")}.`);
}

const total: Outcome = { passed: 0, failed: 0 };
const report: string[] = [];
for (const { name, run } of steps.filter((step) => names.length === 0 || names.includes(step.name))) {
  console.log(`\n── ${name} ──`);
  const startedAt = performance.now();
  const { passed, failed } = await run();
  total.passed += passed;
  total.failed += failed;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  report.push(
    `${failed === 0 ? "ok    " : "FAILED"} ${name.padEnd(12)} ${seconds.padStart(7)} s   ${passed} passed, ${failed} failed`,
  );
}

console.log(`\n${report.join("\n")}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
