// The command line of a built-in worker: the cub's own program, started again with `--work`, or
// with `--lane` for an agent that merges onto a lane.
import { type OwnProgram, ownProgram } from "../../../lib/process/own-program.ts";

/** The kind says how a worker is started, and what its answers may be. */
export type WorkerKind = "worker" | "lane";
const modes = { worker: "--work", lane: "--lane" } as const satisfies Record<WorkerKind, string>;

export function workerCommand(program: OwnProgram, kind: WorkerKind): string[] {
  return [...ownProgram(program, "cub"), modes[kind]];
}

/** Undefined for an agent with a command. */
export function workerKindOf(work: Work & { lane: unknown }): WorkerKind | undefined {
  if (work.lane !== undefined) return "lane";
  return isPrompt(work) ? "worker" : undefined;
}

type Work = { command: readonly string[]; promptExecution: string | undefined; model: unknown };

/** An agent without a command, but with a prompt and a model, is a prompt. */
function isPrompt({ command, promptExecution, model }: Work): boolean {
  return command.length === 0 && (promptExecution ?? "") !== "" && model !== undefined;
}

/** The limits that an agent's `environment` may set. */
const ownLimits = ["SETT_WORK_STEPS", "SETT_WORK_OUTPUT", "SETT_WORK_CONTEXT"] as const;

type Limits = {
  timeoutMs: number;
  workspaceMode: string;
  paths: readonly string[] | undefined;
  onBudget: string;
  git: { binary: string; libraryPath: string | undefined };
};

/**
 * Returns what the worker finds in its environment beside what every command of an agent with a
 * model finds. `cub`: the cub's own environment.
 */
export function workerVariables(
  cub: Readonly<Record<string, string | undefined>>,
  { timeoutMs, workspaceMode, paths, onBudget, git }: Limits,
): Record<string, string> {
  const { LD_LIBRARY_PATH: own, SETT_IMAGE_LD_LIBRARY_PATH: image } = cub;
  const limits = ownLimits.flatMap((name) =>
    cub[name] === undefined || cub[name] === "" ? [] : [[name, cub[name]]],
  );
  return {
    SETT_WORK_TIMEOUT: `${timeoutMs}ms`,
    SETT_WORKSPACE_MODE: workspaceMode,
    ...(paths !== undefined && { SETT_WORKSPACE_PATHS: JSON.stringify(paths) }),
    SETT_ON_BUDGET: onBudget,
    ...Object.fromEntries(limits),
    // The worker commits, and the image may have no git.
    SETT_GIT_BINARY: git.binary,
    ...(git.libraryPath === undefined ? {} : { SETT_GIT_LIBRARY_PATH: git.libraryPath }),
    // The worker needs the cub's libraries; the commands that it runs see those of their image.
    ...(own === undefined ? {} : { LD_LIBRARY_PATH: own }),
    ...(image === undefined ? {} : { SETT_IMAGE_LD_LIBRARY_PATH: image }),
  };
}
