// Looks at a grant beside the record, in a container of its own: as it was worked on, and with no
// way to the blackboard. The work is that of every grant (do-work.ts), and what it publishes goes
// with the container.
//
//   cub --examine rerun    runs the command again, and says what came of it
//   cub --examine shell    prepares the workspace, and waits beside the shell of a person
import { createHash, randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { systemClock } from "../../../lib/async/clock.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import type { GrantResult } from "../../../lib/blackboard/port/grants.ts";
import { comparableResult } from "../../../lib/core/compare-results.ts";
import type { CommitChanges } from "../../../lib/git/copy/commit-changes.ts";
import { ownLibraries } from "../../../lib/git/run/own-libraries.ts";
import type { Cage } from "../../../lib/model/cage.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import {
  type ExaminationOrder,
  type ExaminationReport,
  readyMark,
  reportMark,
} from "../../../lib/model/examination.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { endByNoSignalOfOthers } from "../../../lib/process/process-one.ts";
import { reachable } from "../../../lib/reach/reachable.ts";
import { createJsonLog, type JsonLog } from "../../../lib/service/json-log.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { CageProof } from "../container/cage.ts";
import { createCubMetrics } from "../program/metrics.ts";
import { maskedLine } from "../secrets/mask-line.ts";
import { Secrets, type SecretVariables } from "../secrets/secrets.ts";
import { type Commands, commandsOf } from "../tool/commands.ts";
import { workingCopyOf } from "../tool/working-copy-of.ts";
import { doWork, type WorkDeps } from "../work/do-work.ts";
import type { Task } from "../work/read-grant.ts";
import { takeOrder } from "./order.ts";

/** `environment`: the whole one of this program. */
export type ExamineSettings = {
  agentName: AgentName;
  role: string;
  command: readonly string[];
  git: { binary: string; libraryPath: string | undefined; objectsDir: string; exchangeDir: string };
  /** The place of the service of packs, where it has what `objectsDir` has elsewhere. */
  packs: { address: { url: string }; storeDir: string } | undefined;
  workspaceDir: string;
  paths: readonly string[] | undefined;
  commandEnvironment: Readonly<Record<string, string>> | undefined;
  egressUrl: string | undefined;
  diskBytes: number | undefined;
  pids: number | undefined;
  cage: Cage | undefined;
  secrets: { folder: string; variables: SecretVariables } | undefined;
  environment: Readonly<Record<string, string | undefined>>;
};

/** A program that was killed removes no container: this one ends by itself then. */
const maxShellMs = 24 * 3_600_000;

/** A person waits for it. */
const packsAwayMs = 30_000;

/** Longer lines are split by Engines. */
const pieceLength = 8_000;

/** Only what differs in the first so many files is named. */
const maxChanged = 200;

/** Throws `usage`, and `config-invalid` for an order of another version. */
export async function examine(args: readonly string[], settings: ExamineSettings): Promise<void> {
  const [how = ""] = args;
  if (args.length !== 1 || (how !== "rerun" && how !== "shell"))
    throw new SettError("usage", "--examine takes one of rerun, shell.");
  await endByNoSignalOfOthers();
  const order = await takeOrder(settings, packageJson.version).catch(messageOf);
  if (typeof order === "string") return say({ outcome: "refused", reason: order });
  const secrets =
    settings.secrets && new Secrets(settings.secrets.folder, settings.secrets.variables);
  const write = (line: string) =>
    console.log(secrets === undefined ? line : maskedLine(line, secrets.masker()));
  const log = createJsonLog(write, systemClock.now).with({ service: "examine" });
  const obstacle = (await cageProblem(settings)) ?? missingSecrets(secrets);
  if (obstacle !== undefined) return say({ outcome: "refused", reason: obstacle });
  const deps = await depsOf(order, settings, { secrets, log });
  const hasCode = order.registration.workspace_mode !== "none" && order.base !== undefined;
  if (hasCode && deps.workingCopy === undefined)
    return say({
      outcome: "refused",
      reason: "The commits of this repository are not to be seen there.",
    });
  const missing = settings.packs && (await missingCommits(deps));
  if (missing !== undefined) return say({ outcome: "refused", reason: missing });
  using _ = secrets?.hold();
  const task = taskOf(order);
  const { signal } = new AbortController();
  const seen: FoundChanges = {};
  const seeChanges = (changes: CommitChanges) => noteChanges(changes, order, seen);
  const runTool = how === "rerun" ? deps.runTool : holdOpen(deps, inputFileOf(settings, deps));
  const result = await doWork({ ...deps, runTool, seeChanges }, task, signal);
  if (how === "shell") return say({ outcome: "refused", reason: reasonOf(result) });
  say(reportOf(result, seen));
}

/** A sentence, where the container does not confine the command as that of the agent does. */
async function cageProblem({ cage, git, environment }: ExamineSettings) {
  if (cage === undefined || process.pid !== 1) return undefined;
  const env = { PATH: environment.PATH, ...ownLibraries(git.libraryPath) };
  const proof = new CageProof(cage, { path: git.binary, env }, environment);
  await proof.prove();
  return proof.problem;
}

/** Undefined where the commits are there. Without them the command would have another result. */
async function missingCommits({ workingCopy }: WorkDeps): Promise<string | undefined> {
  return await workingCopy?.exchange.begin().then(() => undefined, messageOf);
}

function missingSecrets(secrets: Secrets | undefined): string | undefined {
  const missing = secrets?.missing() ?? [];
  if (missing.length === 0) return undefined;
  return `The secrets of the agent are not there (${missing.join(", ")}): \`sett up\` brings them.`;
}

type Own = { secrets: Secrets | undefined; log: JsonLog };

async function depsOf(
  { registration }: ExaminationOrder,
  settings: ExamineSettings,
  { secrets, log }: Own,
): Promise<WorkDeps> {
  const { agentName, git, environment } = settings;
  const egressUrl = settings.egressUrl && (await reachable(settings.egressUrl, { log }));
  // Nothing of the exchange is here but an empty folder, for what this run publishes.
  await mkdir(join(git.exchangeDir, agentName), { recursive: true }).catch(() => undefined);
  const packs = settings.packs && {
    ...{ storeDir: settings.packs.storeDir, isReader: true },
    address: { url: await reachable(settings.packs.address.url, { log }) },
    patienceMs: packsAwayMs,
  };
  const place = { ...settings, ...fresh, packs };
  const workingCopy =
    registration.workspace_mode === "none"
      ? undefined
      : await workingCopyOf(place, environment.PATH, false);
  const commands: Commands = commandsOf({
    settings: { ...settings, ...withoutModel, keepsIgnored: false },
    program: { execPath: process.execPath, script: "", isWholeProgram: true },
    registration: { current: registration },
    ...{ environment, workingCopy, secrets, egressUrl, log, noteTrouble: () => {} },
  });
  return {
    ...commands,
    ...{ workingCopy, secrets, log, registration: { current: registration } },
    network: settings.cage?.network === "open" ? undefined : { hasProxy: egressUrl !== undefined },
    // It is on no record how far the workspace is.
    board: {
      readLane: async () => undefined,
      notePreparing: async () => ({ outcome: "refused", reason: "It is not on record." }),
    },
    ...{ clock: systemClock, newId: randomUUID, metrics: createCubMetrics() },
  };
}

/** Its workspace is empty, and goes with it. */
const fresh = {
  layerDir: undefined,
  keptBy: undefined,
  keepsIgnored: false,
  grantAttempt: 1,
  prepared: undefined,
};

const withoutModel = {
  ...{ bidCommand: undefined, promptExecution: undefined, model: undefined, lane: undefined },
  onBudget: "fail",
};

function taskOf(order: ExaminationOrder): Task {
  const { claim, grant, earlier, target, base, start } = order;
  const { context_chain: contextChain, additional_context: additionalContext } = order;
  return {
    claim,
    grant: { ...grant, state: "queued" },
    earlier,
    inputs: { ok: true, value: { target, contextChain, additionalContext, base, start } },
  };
}

type FoundChanges = { tree?: string; changed?: string[] };

async function noteChanges(
  changes: CommitChanges,
  { recorded }: ExaminationOrder,
  seen: FoundChanges,
): Promise<void> {
  seen.tree = await changes.tree();
  if (recorded === undefined) return;
  // Nothing is named where the commit on record is not here.
  const changed = await changes.pathsSince(recorded).catch(() => undefined);
  if (changed !== undefined) seen.changed = changed.slice(0, maxChanged);
}

/** A process has no `/tmp` of its own: the file is in a folder that goes with it. */
function inputFileOf(
  { git, workspaceDir }: ExamineSettings,
  { workingCopy }: Pick<WorkDeps, "workingCopy">,
): string {
  const own = workingCopy === undefined ? workspaceDir : git.exchangeDir;
  return join(process.pid === 1 ? "/tmp" : own, "input.json");
}

/** In the place of the command: its input for the person, and time. */
function holdOpen({ limits }: WorkDeps, inputFile: string): WorkDeps["runTool"] {
  return async ({ stdin, signal }) => {
    await writeFile(inputFile, stdin);
    const hold = async (within: AbortSignal) => {
      console.log(`${readyMark}${inputFile}`);
      await sleep(maxShellMs, within);
    };
    await (limits?.guard(signal, hold) ?? hold(signal));
    const message = `The shell was open for longer than ${maxShellMs / 3_600_000} hours.`;
    return { kind: "not_started", reason: "other", message };
  };
}

function reasonOf(result: GrantResult): string {
  return "reason" in result ? result.reason : "";
}

function reportOf(result: GrantResult, { tree, changed }: FoundChanges): ExaminationReport {
  const keys = keysOf(result.artefact.metadata.pieces);
  const made = "pieces" in result ? (result.pieces ?? []) : [];
  const pieces = made.map((piece, place) => ({ ...piece, key: keys[place] ?? "" }));
  return {
    outcome: "ended",
    result: comparableResult(result.artefact, { tree, pieces }, digestOf),
    ...(changed !== undefined && { changed }),
  };
}

/** The list names its pieces in their order. */
function keysOf(pieces: unknown): string[] {
  return Array.isArray(pieces) ? pieces.map((piece) => String(piece?.key ?? "")) : [];
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** No command can write to this program's own output. */
function say(report: ExaminationReport): void {
  const text = Buffer.from(JSON.stringify(report)).toString("base64");
  const pieces = Math.max(1, Math.ceil(text.length / pieceLength));
  for (let at = 0; at < pieces; at++) {
    const piece = text.slice(at * pieceLength, (at + 1) * pieceLength);
    console.log(`${reportMark}${at + 1}/${pieces} ${piece}`);
  }
}
