// How many tests of a group passed and failed? Counted from bun's own report, and a run that ended
// early is a failure.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * `failures`: where each failed test is, its name and the first lines of its error. `processorMs`:
 * what it has cost here, without what it had containers do.
 */
export type Outcome = {
  passed: number;
  failed: number;
  skipped?: number;
  failures?: string[];
  processorMs?: number | undefined;
};

/** The process has ended; those below it that were waited for count as well. */
export function processorMsOf(ended: Bun.Subprocess): number | undefined {
  const usage = ended.resourceUsage();
  return usage && Number(usage.cpuTime.total) / 1000;
}

/**
 * Globs are relative to `test/`. `timeoutMs` is for one test, `limitMs` for the whole group, which
 * is then killed. `workers`: how many files run beside each other. `linesTo`: the folder for the
 * report of the lines that were run.
 */
type Group = {
  root: string;
  include: string[];
  exclude?: string[];
  timeoutMs: number;
  limitMs: number;
  workers: number;
  output?: "inherit" | "ignore" | number;
  linesTo?: string | undefined;
  env?: Record<string, string>;
};

/**
 * Runs the test files of a group in some processes, with bun's output on ours, on a file
 * descriptor, or ignored.
 */
export async function countBunTests({
  root,
  include,
  exclude = [],
  timeoutMs,
  limitMs,
  workers,
  output,
  linesTo,
  env,
}: Group): Promise<Outcome> {
  const excluded = new Set(await filesOf(root, exclude));
  const files = (await filesOf(root, include)).filter((file) => !excluded.has(file));
  if (files.length === 0) {
    console.log("there are no such tests");
    return { passed: 0, failed: 1 };
  }
  const folder = await mkdtemp(join(tmpdir(), "sett-tests-"));
  const reportPath = join(folder, "report.xml");
  try {
    const options = [
      `--timeout=${timeoutMs}`,
      "--reporter=junit",
      `--reporter-outfile=${reportPath}`,
    ];
    // A worker keeps what its files have loaded, as one process would.
    if (workers > 1) options.push(`--parallel=${workers}`, "--no-isolate");
    if (linesTo !== undefined)
      options.push("--coverage", "--coverage-reporter=lcov", `--coverage-dir=${linesTo}`);
    const bun = Bun.spawn([process.execPath, "test", ...options, ...files], {
      cwd: root,
      stdio: ["ignore", output ?? "inherit", output ?? "inherit"],
      // Ryuk, the container that testcontainers tidies up with, comes from a registry; our tests
      // remove what they start.
      env: { ...process.env, TESTCONTAINERS_RYUK_DISABLED: "true", ...env },
      timeout: limitMs,
    });
    const code = await bun.exited;
    const report = Bun.file(reportPath);
    const outcome = readReport((await report.exists()) ? await report.text() : "", code);
    return { ...outcome, processorMs: processorMsOf(bun) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Reads bun's JUnit report. A run counts one failure more when it left no report (a crash, or a
 * test that ended the process, whatever its exit code says), or when it failed though no single
 * test did (an error outside of tests).
 */
function readReport(report: string, exitCode: number): Outcome {
  const [, attributes = ""] = /<testsuites\b([^>]*)>/.exec(report) ?? [];
  const number = (name: string) =>
    Number(new RegExp(`\\b${name}="(\\d+)"`).exec(attributes)?.[1] ?? 0);
  const failed = number("failures") + number("errors");
  const skipped = number("skipped");
  const passed = number("tests") - skipped - failed;
  const failures = [...readFailures(report)];
  const isCutShort = number("tests") === 0 || (exitCode !== 0 && failed === 0);
  if (isCutShort)
    failures.push(`outside of tests: its own output says why it ended with code ${exitCode}`);
  return { passed, failed: failed + (isCutShort ? 1 : 0), skipped, failures };
}

const shownLines = 24;
const shownCharacters = 2000;

/**
 * A failure before or after the tests of a file has no name and no line there; a process that
 * crashed has no error but a message.
 */
function* readFailures(report: string): Generator<string> {
  const failedCase =
    /<testcase name="([^"]*)"[^>]*? file="([^"]*)"(?: line="(\d+)")?[^>]*>\s*<(?:failure|error)\b([^>]*)>([^<]*)/g;
  for (const [, name = "", file, line, attributes = "", error = ""] of report.matchAll(
    failedCase,
  )) {
    const [, message = ""] = /\bmessage="([^"]*)"/.exec(attributes) ?? [];
    const firstLines = withoutEntities(error.trim() === "" ? message : error)
      .split("\n")
      .slice(0, shownLines)
      .join("\n")
      .slice(0, shownCharacters);
    const what = name === "(unnamed)" ? "before or after its tests" : withoutEntities(name);
    yield `${file}${line === undefined ? "" : `:${line}`} ${what}\n${firstLines.trimEnd()}`;
  }
}

function withoutEntities(text: string): string {
  const characters: Record<string, string> = {
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    amp: "&",
    "#10": "\n",
  };
  return text.replace(/&(#10|\w+);/g, (entity, name: string) => characters[name] ?? entity);
}

async function filesOf(root: string, globs: string[]): Promise<string[]> {
  const found = await Promise.all(
    globs.map((glob) => Array.fromAsync(new Bun.Glob(glob).scan({ cwd: join(root, "test") }))),
  );
  return [...new Set(found.flat())].sort().map((file) => `./test/${file}`);
}
