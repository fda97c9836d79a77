// Runs the workflow of docs/guides/ci.md in a repository, as a runner would.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { type Finished, finished } from "../cli/finished.ts";
import { root } from "../root.ts";
import type { ProcessSett } from "../sett/process-sett.ts";
import { fileWrittenBy } from "./pages.ts";

type Step = { name?: string; run?: string; if?: string; env?: Record<string, string> };

export const workflowFile = ".github/workflows/agents.yml";

/**
 * A `sett` in a folder for PATH. A runner has an Engine; without one, the same commands start
 * processes.
 */
export async function writeSett(bin: string): Promise<void> {
  const program = `#!/bin/sh\nif [ "$1" = up ]; then shift; set -- up --runtime process "$@"; fi\nexec ${join(root, "bin/sett")} "$@"\n`;
  await writeFile(join(bin, "sett"), program, { mode: 0o755 });
}

export async function runIn(
  sett: ProcessSett,
  words: string[],
  env: Record<string, string> = {},
): Promise<Finished> {
  const options = { cwd: sett.folder, env: { ...sett.environment, ...env } } as const;
  return await finished(
    Bun.spawn(words, { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" }),
  );
}

/**
 * Each step as the runner does it: `bash -e` with its variables. The steps that install something
 * are the runner's own affair.
 */
export async function runJob(
  sett: ProcessSett,
  goal: string,
): Promise<(Finished & { step: string })[]> {
  const { jobs } = parse(fileWrittenBy("docs/guides/ci.md", workflowFile)) as {
    jobs: Record<string, { steps: Step[] }>;
  };
  const values: Record<string, string> = { "inputs.goal": goal };
  const done: (Finished & { step: string })[] = [];
  let hasFailed = false;
  for (const { name: step = "", run: script, if: condition, env = {} } of jobs.forage?.steps ??
    []) {
    if (script === undefined || script.startsWith("npm ")) continue;
    const isRun = condition === "always()" || (condition === "failure()" ? hasFailed : !hasFailed);
    if (!isRun) continue;
    const variables = Object.entries(env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ (.*?) \}\}/, (_, key) => values[key] ?? ""),
    ]);
    const ended = await runIn(sett, ["bash", "-e", "-o", "pipefail", "-c", script], {
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

/** Returns what a step of the job runs. Throws where it has no such step. */
export function scriptOf(step: string): string {
  const { jobs } = parse(fileWrittenBy("docs/guides/ci.md", workflowFile)) as {
    jobs: Record<string, { steps: Step[] }>;
  };
  const script = jobs.forage?.steps.find(({ name }) => name === step)?.run;
  if (script === undefined) throw new Error(`The job has no step ${JSON.stringify(step)}.`);
  return script;
}
