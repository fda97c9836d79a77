// `cub --work`: the built-in worker. A tool like any other: the tool contract on stdin, one answer
// on stdout, lines for the log on stderr.
import process from "node:process";
import { SparsePaths } from "../../../lib/git/copy/sparse-paths.ts";
import { ownLibraries } from "../../../lib/git/run/own-libraries.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { callFailedType, noResultType } from "../../../lib/model/own-types.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { runningLimit } from "../../../lib/process/running-time.ts";
import { stopSignal } from "../../../lib/service/stop-signal.ts";
import { createAskModel } from "./ask-model.ts";
import { ModelCallError } from "./call-error.ts";
import { commandEnvironment } from "./command-environment.ts";
import { type Commit, keepProgress, resumeProgress } from "./commit-changes.ts";
import { commitNames, commitVariables } from "./commit-names.ts";
import { contextText } from "./context-text.ts";
import { outsideTools } from "./outside-tools.ts";
import { systemPrompt } from "./prompt-text.ts";
import { marginMs, readInput } from "./read-input.ts";
import { RemarkReader } from "./remark-reader.ts";
import { readWorkSettings, type WorkSettings } from "./settings.ts";
import { targetChanges } from "./target-changes.ts";
import type { Tool } from "./tool.ts";
import { applyPatchTool } from "./tools/apply-patch.ts";
import { editFileTool } from "./tools/edit-file.ts";
import { endingTools } from "./tools/ending-tools.ts";
import { listFilesTool } from "./tools/list-files.ts";
import { planTool } from "./tools/plan.ts";
import { readFileTool } from "./tools/read-file.ts";
import { runTool } from "./tools/run.ts";
import { searchTool } from "./tools/search.ts";
import { writeFileTool } from "./tools/write-file.ts";
import { budgetFailure, budgetQuestion, failure, type WorkAnswer } from "./work-answer.ts";
import { type WorkKind, workKindOf } from "./work-kind.ts";
import { workLoop } from "./work-loop.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

type Environment = Record<string, string | undefined>;

/** The working directory is the workspace. Throws environment-invalid and usage. */
export async function runWorker(environment: Environment): Promise<void> {
  const settings = readWorkSettings(environment);
  const stop = stopSignal();
  const { signal: deadline, leftMs } = runningLimit(
    settings.timeoutMs - marginMs(settings.timeoutMs),
  );
  const signal = AbortSignal.any([stop, deadline]);
  const input = readInput();
  const workspace = await workspaceOf(settings, environment, input);
  let { plan } = workspace;
  const progress: Progress = {
    setPlan: (text) => {
      plan = text;
    },
    keep: async () => (settings.isReadWrite ? await keepProgress(workspace, plan) : undefined),
  };
  const order = { settings, environment, input, workspace, progress, leftMs };
  const answer = await work(order, signal).catch((error: unknown) => {
    if (stop.aborted) throw new SettError("interrupted", `The work was ended by ${stop.reason}.`);
    if (deadline.aborted) return timeFailure(settings.timeoutMs);
    if (error instanceof ModelCallError) return callFailure(settings, progress, error);
    throw error;
  });
  await new Promise<void>((resolve) =>
    process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve()),
  );
}

async function workspaceOf(
  { git, isReadWrite, paths }: WorkSettings,
  environment: Environment,
  input: ToolInput,
): Promise<Workspace> {
  const env = { ...commandEnvironment(environment), ...ownLibraries(git.libraryPath) };
  const sparse = paths && new SparsePaths(paths);
  const workspace = await openWorkspace(process.cwd(), { path: git.path, env }, sparse);
  return isReadWrite ? await resumeProgress(workspace, inputsOf(input)) : workspace;
}

function inputsOf({ context_chain, target_artefact, additional_context }: ToolInput): Artefact[] {
  return [...context_chain, target_artefact, ...additional_context];
}

/** `keep`: what a question shall not lose; undefined where nothing is to be kept. */
type Progress = { setPlan: (plan: string) => void; keep: () => Promise<Commit | undefined> };

type Order = {
  settings: WorkSettings;
  environment: Environment;
  input: ToolInput;
  workspace: Workspace;
  progress: Progress;
  /** The time that is left. */
  leftMs: () => number;
};

async function work(order: Order, signal: AbortSignal): Promise<WorkAnswer> {
  const { settings, environment, input, workspace, progress } = order;
  const kind = workKindOf(input);
  const commits = commitNames(inputsOf(input), workspace.head);
  const env = commandEnvironment(environment, commitVariables(commits));
  const own = toolsFor(order, env, kind);
  const log = (line: string) => console.error(line);
  const keep = async () => {
    const kept = await progress.keep();
    return kept?.ok === false ? kept.reason : undefined;
  };
  const outside = settings.outside && (await outsideTools(settings.outside, { log, keep }, signal));
  // The work ends with one of the last.
  const tools = [...(outside ?? []), ...own];
  const [ask, changes] = await Promise.all([
    createAskModel(settings.model, systemPrompt(kind, settings.prompt), tools),
    targetChanges(workspace, input),
  ]);
  const taskWithin = (maxLength: number) =>
    contextText(input, { kind, commits, changes, plan: workspace.plan }, maxLength);
  const { maxSteps, maxContextLength } = settings;
  const remarks = new RemarkReader(settings.remarks);
  return workLoop({ ask, tools, taskWithin, remarks, maxSteps, maxContextLength, log }, signal);
}

function toolsFor(
  { settings, input, workspace, progress, leftMs }: Order,
  env: Record<string, string>,
  kind: WorkKind,
): Tool[] {
  const targetType = input.target_artefact.type;
  return [
    runTool({ root: workspace.root, env, leftMs }),
    readFileTool(workspace),
    writeFileTool(workspace),
    editFileTool(workspace),
    applyPatchTool(workspace),
    listFilesTool(workspace),
    searchTool(workspace),
    planTool(progress.setPlan),
    ...endingTools({
      ...{ kind, targetType, workspace, keep: progress.keep },
      isReadWrite: settings.isReadWrite,
    }),
  ];
}

function timeFailure(timeoutMs: number): WorkAnswer {
  return failure(
    noResultType,
    `The model has not finished within the agent's timeout of ${timeoutMs / 1_000} s. \`timeout\` of the agent in sett.yml sets it.`,
  );
}

async function callFailure(
  { asksForBudget }: WorkSettings,
  { keep }: Progress,
  error: ModelCallError,
): Promise<WorkAnswer> {
  if (error.exhausted === undefined) return failure(callFailedType, error.message);
  if (!asksForBudget) return budgetFailure(error.message, error.exhausted);
  const kept = await keep();
  const lost = kept?.ok === false ? ` What has changed so far is not kept. ${kept.reason}` : "";
  return budgetQuestion(`${error.message}${lost}`, error.exhausted);
}
