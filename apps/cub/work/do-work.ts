// The work of an accepted grant: a clean container → working copy → command → its outcome → commit
// → the artefact to post.

import { createHash } from "node:crypto";
import type { GrantResult } from "../../../lib/blackboard/port/grants.ts";
import type { AgentBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { commitsOnRecord } from "../../../lib/core/base-commit.ts";
import { failureReport, type ToolEnd } from "../../../lib/core/failure-report.ts";
import {
  failureArtefact,
  type GrantOrigin,
  listOfPieces,
  resultArtefact,
} from "../../../lib/core/result-artefact.ts";
import { showName } from "../../../lib/git/run/file-name.ts";
import type { Gitlink } from "../../../lib/git/run/find-submodules.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { ArtefactId, type CommitHash } from "../../../lib/model/ids.ts";
import type { LaneSettings } from "../../../lib/model/lane.ts";
import { budgetExceededType } from "../../../lib/model/model-call.ts";
import { phaseTable } from "../../../lib/model/phase.ts";
import {
  formatToolInput,
  type ToolResult,
  toolFailureType,
} from "../../../lib/model/tool-contract.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import type { RunOutcome } from "../container/tool-limits.ts";
import type { Deps } from "../program/deps.ts";
import { LiveOutput } from "../tool/live-output.ts";
import { commandText, outputText } from "../tool/log-text.ts";
import type { Printed } from "../tool/output-keeper.ts";
import { judgeOutcome, noEnd, type ToolOutcome } from "./judge-outcome.ts";
import { withNetworkHint } from "./network-hint.ts";
import { type Publishing, publishCommit } from "./publish-commit.ts";
import type { Task, TaskInputs } from "./read-grant.ts";
import { reportPreparing } from "./report-preparing.ts";

/** All that the work itself needs: a cub gives it, and so does a look at a grant. */
export type WorkDeps = Publishing &
  Pick<Deps, "clear" | "limits" | "command" | "worker" | "runTool"> &
  Pick<Deps, "lane" | "network" | "outputs" | "log" | "metrics" | "clock" | "newId"> & {
    board: Pick<AgentBlackboard, "readLane" | "notePreparing">;
  };

/**
 * Never rejects: every error becomes a Failure with its reason. Aborting the signal ends the
 * command.
 */
export async function doWork(
  deps: WorkDeps,
  task: Task,
  signal: AbortSignal,
): Promise<GrantResult> {
  if (!task.inputs.ok) return failed(deps, task, noEnd(task.inputs.reason));
  try {
    return await workOn(deps, task, task.inputs.value, signal);
  } catch (error) {
    const command = commandText(deps.command);
    deps.log.error("Tool execution failed", {
      claim_id: task.claim.id,
      command,
      error: messageOf(error),
    });
    return failed(deps, task, noEnd(withRemedy(error)));
  }
}

async function workOn(
  deps: WorkDeps,
  task: Task,
  inputs: TaskInputs,
  signal: AbortSignal,
): Promise<GrantResult> {
  await deps.clear?.();
  // After its last result is on record, or before: the record refuses a move from another tip, and
  // has the attempt made again.
  const lane = deps.lane && { ...deps.lane, tip: await tipOf(deps, deps.lane, signal) };
  await prepareWorkingCopy(deps, task, { ...inputs, tip: lane?.tip }, signal);
  const stdin = stdinOf(task, inputs);
  const outcome = await runTool(deps, task, { ...inputs, lane, stdin }, signal);
  const output = deps.outputs?.keep(task.claim.goal_id, printedBeside(outcome));
  const ended = await resultOf(deps, task, inputs, outcome);
  const digest = createHash("sha256").update(stdin).digest("hex");
  return { ...ended, stdin: digest, ...withoutUndefined({ output }) };
}

/** The words of the tool contract. */
function stdinOf({ claim, grant }: Task, inputs: TaskInputs): string {
  return formatToolInput({
    claim_type: phaseTable[grant.phase].bid,
    claim_id: claim.id,
    target_artefact: inputs.target,
    context_chain: inputs.contextChain,
    additional_context: inputs.additionalContext,
    ...(claim.pieces && { pieces: claim.pieces }),
  });
}

/** A Redis that is away for a moment fails no work. */
async function tipOf({ board, log }: WorkDeps, { name }: LaneSettings, signal: AbortSignal) {
  return await untilContact(() => board.readLane(name), { signal, log });
}

/** The answer of a command is an artefact, which is on record by itself. */
function printedBeside({ kind, end: { stdout, stderr } }: ToolOutcome): Printed {
  return kind === "result" ? { stderr } : { stdout, stderr };
}

async function resultOf(
  deps: WorkDeps,
  task: Task,
  inputs: TaskInputs,
  outcome: ToolOutcome,
): Promise<GrantResult> {
  const lost = await lostCommits(deps);
  if (lost !== undefined) return failed(deps, task, { ...outcome.end, reason: lost });
  if (outcome.kind !== "result") return failed(deps, task, outcome.end);
  const { result, end } = outcome;
  const isAboutInput = result.about === undefined || inputIds(inputs).has(result.about);
  if (!isAboutInput)
    return failed(deps, task, {
      ...end,
      reason: `The tool asked a Question \`about\` ${result.about}, which is none of its inputs.`,
    });
  const { earlier, grant } = task;
  const sources = { target: inputs.target, earlier, dialogue: grant.dialogue ?? [] };
  const artefact = resultArtefact(grantOrigin(deps, task), result, sources);
  if (artefact.structural_type === "Failure") {
    const isBudget = artefact.type === budgetExceededType;
    return {
      outcome: "failed",
      artefact,
      reason: reasonOf(result),
      ...(isBudget && { failureType: artefact.type }),
    };
  }
  const published = await publish(deps, artefact, inputs, end);
  if (!published.ok) return failed(deps, task, published.end);
  const { commit, paths } = published;
  const changed = paths !== undefined && { changed_paths: paths };
  if (commit !== undefined) artefact.metadata = { ...artefact.metadata, commit, ...changed };
  if (artefact.structural_type !== "Question") {
    if (result.pieces === undefined) return { outcome: "done", artefact };
    const { list, pieces } = listOfPieces(artefact, result.pieces, deps.newId);
    return { outcome: "done", artefact: list, pieces };
  }
  return { outcome: "asked", artefact, ...withoutUndefined({ base: commit }) };
}

/** More names make no line of a log clearer. */
const maxNamed = 10;

/** A commit of a few kilobytes may have files of many gigabytes. */
async function prepareWorkingCopy(
  deps: WorkDeps,
  { claim, grant: { agent, attempt } }: Task,
  inputs: TaskInputs & { tip: CommitHash | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { workingCopy, limits } = deps;
  const { base, tip } = inputs;
  if (workingCopy === undefined || base === undefined) return;
  const known = [...inputs.contextChain, ...inputs.additionalContext];
  const commits = [
    ...commitsOnRecord(inputs.target, known),
    ...(tip === undefined ? [] : [{ commit: tip, agent: deps.registration.current.name }]),
  ];
  await reportPreparing(deps, { claim: claim.id, agent, attempt }, async (onProgress) => {
    if (limits === undefined)
      return await workingCopy.prepare(base, commits, { signal, onProgress });
    const { diskBytes: maxBytes } = limits;
    await limits.guard(signal, (within) =>
      workingCopy.prepare(base, commits, { maxBytes, signal: within, onProgress }),
    );
  });
  const { lacking, pointers } = workingCopy;
  if (pointers.length > 0)
    deps.log.warn("Files of LFS are pointers in the workspace", {
      claim_id: claim.id,
      attempt,
      files: pointers.slice(0, maxNamed).map(showName).join(", "),
      count: pointers.length,
      hint: "Run `git lfs pull` in the person's repository, then post the goal again.",
    });
  if (lacking.length > 0)
    deps.log.warn("Submodules are empty folders in the workspace", {
      claim_id: claim.id,
      attempt,
      submodules: lacking.slice(0, maxNamed).map(submoduleName).join(", "),
      count: lacking.length,
      hint: "Run `git submodule update --init --recursive` in the person's repository, then post the goal again.",
    });
}

/** Its folder, and the commit that the person's repository does not have. */
function submoduleName({ path, commit }: Gitlink): string {
  return `${showName(path)} (${commit.slice(0, 12)})`;
}

/**
 * The command may have removed or changed what earlier work has published, before it is fetched.
 */
async function lostCommits({ workingCopy }: WorkDeps): Promise<string | undefined> {
  const lost = (await workingCopy?.exchange.mend()) ?? [];
  if (lost.length === 0) return undefined;
  return `The command has destroyed commits in its folder of the exchange that its agent had published: ${lost.join(", ")}.`;
}

function inputIds({ target, contextChain, additionalContext }: TaskInputs): Set<ArtefactId> {
  return new Set([target, ...contextChain, ...additionalContext].map(({ id }) => id));
}

async function runTool(
  deps: WorkDeps,
  { claim, grant }: Task,
  inputs: TaskInputs & {
    lane: (LaneSettings & { tip: CommitHash | undefined }) | undefined;
    stdin: string;
  },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { metrics, registration } = deps;
  const { logical_id } = inputs.target;
  const log = deps.log.with({ claim_id: claim.id, artefact_id: claim.artefact_id, logical_id });
  const command = commandText(deps.command);
  const timeoutMs = registration.current.timeout_ms;
  log.info("Executing tool", {
    phase: grant.phase,
    attempt: grant.attempt,
    command,
    base_commit: inputs.base,
  });
  metrics.executions.inc();
  const granted = {
    phase: grant.phase,
    kind: claim.kind,
    target: inputs.target.type,
    source: deps.worker,
  };
  const variables = inputs.lane && laneVariables(inputs.lane);
  const order = { stdin: inputs.stdin, timeoutMs, signal, ...(variables && { variables }) };
  const printed = await runLive(deps, { claim, grant }, order);
  const judged = judgeOutcome(printed, granted, { timeoutMs, masker: deps.secrets?.masker() });
  const { network } = deps;
  const outcome =
    judged.kind === "failed" && network
      ? { ...judged, end: withNetworkHint(judged.end, network) }
      : judged;
  const { reason, exitCode, durationMs } = outcome.end;
  if (durationMs !== null) metrics.executionSeconds.observe(durationMs / 1000);
  const stderr = outputText(outcome.end.stderr);
  const about = {
    exit_code: exitCode,
    duration_ms: durationMs === null ? null : Math.round(durationMs),
    stderr,
  };
  const failure = () => ({ command, ...about, stdout: outputText(outcome.end.stdout), reason });
  switch (outcome.kind) {
    case "result":
      log.info("Tool execution completed", about);
      if (outcome.masked.length > 0)
        log.warn("Masked secrets in the tool's answer", { masked: outcome.masked.join("; ") });
      return outcome;
    case "unreadable":
      log.info("Tool execution completed", about);
      log.error("Failed to parse tool output", failure());
      return outcome;
    case "timed_out":
      metrics.timeouts.inc();
      log.error("Tool execution timeout", failure());
      return outcome;
    case "failed":
      log.error("Tool execution failed", failure());
      return outcome;
    default:
      return unreachable(outcome);
  }
}

function laneVariables({ tip = "", ...lane }: LaneSettings & { tip?: string | undefined }) {
  return { SETT_LANE: JSON.stringify(lane), SETT_LANE_TIP: tip };
}

/** What the command prints is in the log of the agent, as it comes. */
async function runLive(
  { runTool: run, log, secrets }: WorkDeps,
  { claim, grant }: Pick<Task, "claim" | "grant">,
  order: Parameters<WorkDeps["runTool"]>[0],
): Promise<RunOutcome> {
  const of = { goal_id: claim.goal_id, claim_id: claim.id, attempt: grant.attempt };
  const live = new LiveOutput(log.with(of), secrets && (() => secrets.masker()));
  return await run({ ...order, onOutput: live.add }).finally(() => live.end());
}

/** A person reads it in the Failure, and nothing beside it. */
function withRemedy(error: unknown): string {
  const { hint } = error instanceof SettError ? error : {};
  return hint === undefined ? messageOf(error) : `${messageOf(error)} ${hint}`;
}

/**
 * A commit that cannot be published fails the work. The report has git's reason and the tool's
 * output.
 */
async function publish(
  deps: WorkDeps,
  artefact: Parameters<typeof publishCommit>[1],
  inputs: TaskInputs,
  end: ToolEnd,
) {
  const published = await publishCommit(deps, artefact, inputs).catch((error: unknown) => ({
    ok: false as const,
    reason: withRemedy(error),
  }));
  if (published.ok) return published;
  const { claim_id, logical_id } = artefact;
  const output = { stdout: outputText(end.stdout), stderr: outputText(end.stderr) };
  deps.log.error("Tool execution failed", {
    claim_id,
    logical_id,
    command: commandText(deps.command),
    ...output,
    reason: published.reason,
  });
  return { ok: false as const, end: { ...end, reason: published.reason } };
}

function failed(deps: WorkDeps, task: Task, end: ToolEnd): GrantResult {
  const { reason } = end;
  const sources = task.inputs.ok ? [task.inputs.value.target.id] : [];
  const payload = JSON.stringify(failureReport(end));
  return {
    outcome: "failed",
    artefact: failureArtefact(grantOrigin(deps, task), {
      type: toolFailureType,
      payload,
      reason,
      sources,
    }),
    reason,
  };
}

function grantOrigin({ clock, newId, registration }: WorkDeps, { claim }: Task): GrantOrigin {
  return {
    id: ArtefactId.parse(newId()),
    at: clock.now().toISOString(),
    agent: registration.current,
    claim,
  };
}

function reasonOf({ type, summary }: ToolResult): string {
  return summary === undefined || summary === ""
    ? `The tool reported a failure of type ${type}.`
    : summary;
}
