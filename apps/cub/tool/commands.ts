// The agent's own commands: how they run for a grant and for a bid, within which limits, and what
// is ended and removed around them.
import process from "node:process";
import type { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import { ownIdentity } from "../../../lib/git/run/own-config.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import type { StreamName } from "../../../lib/model/kept-output.ts";
import type { LaneSettings } from "../../../lib/model/lane.ts";
import type { CommandOutcome } from "../../../lib/process/command.ts";
import type { OwnProgram } from "../../../lib/process/own-program.ts";
import { runCommand } from "../../../lib/process/run-command.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { CleanSlate, NotBegun } from "../container/clean-slate.ts";
import { type RunOutcome, type ToolLimits, toolLimits } from "../container/tool-limits.ts";
import { type Secrets, withoutSecrets } from "../secrets/secrets.ts";
import { withModel } from "./model-access.ts";
import { openRemarkFile, type RemarkFile } from "./remark-file.ts";
import { bidEnvironment, proxyVariables, toolEnvironment, withTrace } from "./tool-environment.ts";
import { type WorkerKind, workerCommand, workerKindOf, workerVariables } from "./worker-command.ts";

export type Commands = {
  runTool: RunTool;
  /**
   * Ends and removes what bid commands have left behind, before a grant begins. Rejects, with a
   * sentence, where something stays.
   */
  clear?: (() => Promise<void>) | undefined;
  /** Ends and removes what the grant's commands have left behind. Never rejects. */
  wipe?: (() => Promise<void>) | undefined;
  /** Why no work may begin in this container, which then starts again; undefined where it may. */
  unfit?: (() => string | undefined) | undefined;
  /** Limits what the cub writes to the disk; undefined where nothing limits it. */
  limits?: Pick<ToolLimits, "diskBytes" | "guard"> | undefined;
  /** Makes the file by which running work gets remarks; undefined where it gets none. */
  openRemarks?: (() => Promise<RemarkFile>) | undefined;
  /** The log names the command that `runTool` runs. */
  command: readonly string[];
  /** It is a worker of Sett's own, and no command of the agent's. */
  worker?: WorkerKind | undefined;
  /** Decides bids; undefined for an agent without `bid_command`. */
  runBidCommand?: RunBidCommand | undefined;
};

/**
 * Runs the agent's command on its input (the tool contract's JSON). Aborting the signal kills it.
 * `variables`: those of this run, beside those of every run.
 */
export type RunTool = (order: {
  stdin: string;
  timeoutMs: number;
  signal: AbortSignal;
  variables?: Readonly<Record<string, string>>;
  /** The command finds by them the remarks that people make meanwhile. */
  remarks?: RemarkFile["variables"];
  /** The command's own traces become parts of this run's (lib/model/trace-ids.ts). */
  traceparent?: string;
  /** Called with what it prints, as it comes. */
  onOutput?: (stream: StreamName, bytes: Uint8Array) => void;
}) => Promise<RunOutcome>;

export type RunBidCommand = (order: {
  stdin: string;
  signal: AbortSignal;
}) => Promise<CommandOutcome>;

/** `noteTrouble`: while there is one, every grant fails. */
type Parts = {
  settings: {
    agentName: AgentName;
    command: readonly string[];
    bidCommand: readonly string[] | undefined;
    promptExecution: string | undefined;
    model: unknown;
    lane: LaneSettings | undefined;
    onBudget: string;
    commandEnvironment: Readonly<Record<string, string>> | undefined;
    git: { binary: string; libraryPath: string | undefined };
    workspaceDir: string;
    keepsIgnored: boolean;
    paths: readonly string[] | undefined;
    diskBytes: number | undefined;
    pids: number | undefined;
  };
  /** The cub's own. */
  environment: Readonly<Record<string, string | undefined>>;
  program: OwnProgram;
  registration: {
    readonly current: Pick<AgentRegistration, "role" | "timeout_ms" | "workspace_mode">;
  };
  workingCopy: WorkingCopy | undefined;
  secrets: Secrets | undefined;
  egressUrl: string | undefined;
  log: JsonLog;
  noteTrouble: (sentence: string | undefined) => void;
  /** A sentence, while nothing may run here. */
  notConfined?: () => string | undefined;
};

type Within = Parts & {
  slate: CleanSlate;
  limits: ToolLimits | undefined;
  /** The environment that all commands of the agent see. */
  env: Record<string, string>;
};

const bidLimits = { timeoutMs: 10_000, killAfterMs: 1_000, maxOutputBytes: 64 * 1024 };

export function commandsOf(parts: Parts): Commands {
  const { settings, environment, registration, log, workingCopy } = parts;
  const slate = new CleanSlate(log);
  const limits = toolLimits(settings, slate, workingCopy);
  // The agent's `environment` and its image come before its own identity.
  const env = {
    ...ownIdentity(settings.agentName),
    ...toolEnvironment(environment, registration.current.role, settings.commandEnvironment),
    ...proxyVariables(parts.egressUrl),
  };
  const within = { ...parts, slate, limits, env };
  const worker = workerKindOf(settings);
  const command = worker === undefined ? settings.command : workerCommand(parts.program, worker);
  const { bidCommand } = settings;
  return {
    command,
    worker,
    limits,
    runTool: toolRunner(within, command, worker !== undefined),
    openRemarks: async () => await openRemarkFile({ hasKey: worker !== undefined }),
    // Never from the blackboard, where others might write it.
    runBidCommand: bidCommand && bidRunner(within, bidCommand),
    unfit: () => slate.problem,
    ...cleaning(within),
  };
}

function toolRunner(within: Within, command: readonly string[], isWorker: boolean): RunTool {
  const { settings, environment, registration, workingCopy, secrets, slate, limits } = within;
  const cwd = workingCopy === undefined ? process.cwd() : settings.workspaceDir;
  const ofWorker = () => {
    const { timeout_ms: timeoutMs, workspace_mode: workspaceMode } = registration.current;
    const { onBudget, git, paths } = settings;
    return workerVariables(environment, { timeoutMs, workspaceMode, paths, onBudget, git });
  };
  return async ({ variables, traceparent, remarks, ...order }) => {
    const own = isWorker ? { ...within.env, ...ofWorker() } : within.env;
    const traced = withTrace(withModel(own, variables), traceparent);
    const env = { ...traced, ...remarks, ...secrets?.variables() };
    const run = (signal: AbortSignal) =>
      slate.run((onStart) => runCommand({ ...order, signal, command, cwd, env, onStart }));
    const outcome = await (limits === undefined
      ? run(order.signal)
      : limits.run(order.signal, run));
    // Processes that it has left must not change the repository while its commit is read and
    // published.
    await slate.end();
    return outcome;
  };
}

function bidRunner(within: Within, command: readonly string[]): RunBidCommand {
  const { env: ofAgent, secrets, slate, limits } = within;
  return async (order) => {
    const problem = within.notConfined?.();
    if (problem !== undefined) throw new NotBegun(problem);
    using _ = secrets?.hold();
    const run = (signal: AbortSignal) =>
      slate.runBeside(
        (folder, onStart) => {
          const env = folder === undefined ? ofAgent : bidEnvironment(ofAgent, folder);
          const cwd = process.cwd();
          return runCommand({ ...order, ...bidLimits, signal, command, cwd, env, onStart });
        },
        async () => await limits?.makeRoom(),
      );
    const outcome = await (limits === undefined
      ? run(order.signal)
      : limits.runBid(order.signal, run));
    return secrets === undefined ? outcome : withoutSecrets(outcome, secrets.masker(), ["stderr"]);
  };
}

function cleaning(within: Within): Pick<Commands, "clear" | "wipe"> {
  const { settings, workingCopy, log, noteTrouble, slate, limits } = within;
  const tidy = async (step: "begin" | "tidy") => {
    await workingCopy?.exchange[step]().catch((error: unknown) => {
      noteTrouble(`The agent's folder of the exchange cannot be emptied: ${messageOf(error)}`);
      throw error;
    });
    noteTrouble(undefined);
  };
  return {
    async clear() {
      await slate.begin(async () => await limits?.makeRoom(settings.keepsIgnored));
      await tidy("begin");
    },
    async wipe() {
      const wipe = async () => {
        await slate.wipe();
        await tidy("tidy").catch((error: unknown) =>
          log.warn("Could not tidy the agent's folder of the exchange", {
            error: messageOf(error),
          }),
        );
      };
      await (limits === undefined ? wipe() : limits.ofRun(wipe));
    },
  };
}
