// Makes what workers of an agent share beside the files of a commit (`workspace.prepare`), in three
// steps, each in a container of its own:
//
//   cub --prepare key     which files it depends on; none of the agent's programs are there
//   cub --prepare run     the command, in the image of the agent and as confined as its grants
//   cub --prepare seal    what it has left beside the commit; no process of the command is there
import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, rename, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { systemClock } from "../../../lib/async/clock.ts";
import { lastLine } from "../../../lib/core/failure-report.ts";
import { entriesOf, type Path, pathIn, pathOfBytes } from "../../../lib/folders/folder-entries.ts";
import { mendFolder, removeTree } from "../../../lib/folders/remove-tree.ts";
import { readContent } from "../../../lib/git/copy/prepared-content.ts";
import type { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { AgentName } from "../../../lib/model/ids.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import type { PreparedContent, PrepareOrder } from "../../../lib/model/prepare.ts";
import { sizeText } from "../../../lib/model/size-text.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { reachable } from "../../../lib/reach/reachable.ts";
import { createJsonLog, type JsonLog } from "../../../lib/service/json-log.ts";
import type { RunOutcome } from "../container/tool-limits.ts";
import { maskedLine } from "../secrets/mask-line.ts";
import { SecretSearch } from "../secrets/search-content.ts";
import { Secrets, type SecretVariables, withoutSecrets } from "../secrets/secrets.ts";
import { commandsOf } from "../tool/commands.ts";
import { outputText } from "../tool/log-text.ts";
import { workingCopyOf } from "../tool/working-copy-of.ts";
import { withNetworkHint } from "./network-hint.ts";

/** Commits are published under no such name. */
const maker = AgentName.parse("prepare");

/** `environment`: the whole one of this program. */
type PrepareSettings = {
  order: PrepareOrder;
  git: { binary: string; libraryPath: string | undefined; objectsDir: string; exchangeDir: string };
  workspaceDir: string;
  commandEnvironment: Readonly<Record<string, string>> | undefined;
  egressUrl: string | undefined;
  secrets: { folder: string; variables: SecretVariables } | undefined;
  diskBytes: number;
  pids: number | undefined;
  environment: Readonly<Record<string, string | undefined>>;
};

/** `secrets`: those of `prepare`, which the step that reads the key does not have. */
type Step = { log: JsonLog; secrets: Secrets | undefined };

const steps = { key: readKey, run, seal };

/** The steps without the command have a repository there, apart from what that one leaves. */
const repositoryDir = join(tmpdir(), "repository");

/** How long the command waits for secrets that a restart of the machine has cleared. */
const secretsWithinMs = 10 * 60_000;

/**
 * The last line on stdout is what the step has found out, as JSON. The exit code is 1 where the
 * step fails, and then the last line has its `reason`. Throws `usage`.
 */
export async function prepare(args: readonly string[], settings: PrepareSettings): Promise<void> {
  const [name = ""] = args;
  if (!isStep(name) || args.length !== 1)
    throw new SettError("usage", `--prepare takes one of ${Object.keys(steps).join(", ")}.`);
  const secrets =
    settings.secrets && new Secrets(settings.secrets.folder, settings.secrets.variables);
  const write = (line: string) =>
    console.log(secrets === undefined ? line : maskedLine(line, secrets.masker()));
  const log = createJsonLog(write, systemClock.now).with({ service: "prepare" });
  try {
    const found = await steps[name](settings, { log, secrets });
    log.info("Prepared", { step: name, ...found });
  } catch (error) {
    if (!(error instanceof SettError)) throw error;
    process.exitCode = 1;
    log.error("Could not prepare", { step: name, reason: error.message });
  }
}

function isStep(name: string): name is keyof typeof steps {
  return Object.hasOwn(steps, name);
}

async function readKey(settings: PrepareSettings): Promise<{ files: string }> {
  const { order } = settings;
  const copy = await copyIn(repositoryDir, settings);
  const { digest, missing } = await copy.readKeyFiles(order, order.key);
  if (missing.length === 0) return { files: digest };
  const what = missing.map((path) => `\`${path}\``).join(", ");
  throw new SettError(
    "git-failed",
    `Commit ${order.commit.slice(0, 12)} does not have ${what}, which \`workspace.prepare.key\` names.`,
  );
}

/**
 * In an empty volume of its own. What it finds is what the key names, so that what it
 * makes depends on nothing else of the commit.
 */
async function run(
  settings: PrepareSettings,
  { log, secrets }: Step,
): Promise<Record<string, number>> {
  const { order, workspaceDir, git, diskBytes, pids, commandEnvironment } = settings;
  const copy = await copyIn(workspaceDir, settings);
  const egressUrl = settings.egressUrl && (await reachable(settings.egressUrl, { log }));
  const commands = commandsOf({
    settings: {
      ...{ agentName: maker, command: ["sh", "-c", order.run], bidCommand: undefined },
      ...{ promptExecution: undefined, model: undefined, lane: undefined, onBudget: "fail" },
      keepsIgnored: false,
      ...{ paths: undefined, commandEnvironment, git, workspaceDir, diskBytes, pids },
    },
    environment: settings.environment,
    program: { execPath: process.execPath, script: "", isWholeProgram: true },
    registration: {
      current: { role: maker, timeout_ms: order.timeout_ms, workspace_mode: "ro" },
    },
    workingCopy: copy,
    secrets,
    egressUrl,
    log,
    noteTrouble: () => {},
  });
  const { signal } = new AbortController();
  await needSecrets(secrets, log);
  using _ = secrets?.hold();
  const takeFiles = () => copy.takeFiles(order, order.key, diskBytes);
  await (commands.limits?.guard(signal, takeFiles) ?? takeFiles());
  const ended = await commands.runTool({ stdin: "", timeoutMs: order.timeout_ms, signal });
  const outcome = secrets === undefined ? ended : withoutSecrets(ended, secrets.masker());
  const nothing = new Uint8Array();
  const {
    stdout = nothing,
    stderr = nothing,
    exitCode = null,
  } = outcome.kind === "not_started" ? {} : outcome;
  log.info("The command has ended", {
    ...{ run: order.run, exit_code: exitCode },
    ...{ stdout: outputText(stdout), stderr: outputText(stderr) },
  });
  const problem = problemOf(outcome, order);
  if (problem === undefined) return {};
  const end = { reason: problem, exitCode, signal: null, timedOut: false, durationMs: null };
  const hinted = withNetworkHint(
    { ...end, stdout, stderr },
    {
      hasProxy: egressUrl !== undefined,
      who: "The command",
      key: "workspace.prepare.network.egress",
    },
  );
  throw new SettError("process-failed", hinted.reason);
}

/** Throws `config-invalid` where they stay away. */
async function needSecrets(secrets: Secrets | undefined, log: JsonLog): Promise<void> {
  if (secrets === undefined) return;
  await secrets.untilThere(AbortSignal.timeout(secretsWithinMs), log, () => {});
  const missing = secrets.missing();
  if (missing.length === 0) return;
  const names = missing.join(", ");
  throw new SettError(
    "config-invalid",
    `The secrets of \`workspace.prepare\` are not there (${names}): \`sett up\` brings them.`,
  );
}

function problemOf(outcome: RunOutcome, order: PrepareSettings["order"]): string | undefined {
  const command = commandIn(order);
  const { timeout_ms } = order;
  switch (outcome.kind) {
    case "not_started":
      return outcome.message;
    case "timed_out":
      return `${command} ran longer than \`workspace.prepare.timeout\`, which is ${timeout_ms / 1000} s.`;
    case "over_limit":
      return outcome.reason;
    case "output_too_large":
      return `${command} wrote more than 32 MiB to ${outcome.stream}, which is the limit.`;
    case "aborted":
      return `${command} was interrupted.`;
    case "exited": {
      if (outcome.exitCode === 0) return undefined;
      const said = lastLine(outcome.stderr) || lastLine(outcome.stdout);
      const end = outcome.signal ?? `exit code ${outcome.exitCode}`;
      return `${command} ended with ${end}${said === "" ? "." : `: ${said}`}`;
    }
    default:
      return unreachable(outcome);
  }
}

function commandIn({ run: line }: PrepareSettings["order"]): string {
  return `\`${line.length > 80 ? `${line.slice(0, 79)}…` : line}\``;
}

/**
 * In the volume of the command. What is in it moves down one folder, so that nothing of it has the
 * name of what is made here.
 */
async function seal(settings: PrepareSettings, { log, secrets }: Step): Promise<PreparedContent> {
  const { order, workspaceDir: root, diskBytes } = settings;
  const copy = await copyIn(repositoryDir, settings);
  const keyFiles = await copy.listKeyFiles(order, order.key);
  await chmod(root, 0o755);
  const inner = join(root, `.${randomBytes(12).toString("hex")}`);
  await mkdir(inner);
  for await (const { name, path } of entriesOf(root))
    if (path !== inner) await rename(path, pathIn(inner, name));
  await mendFolder(inner);
  for (const path of keyFiles) await removePath(inner, path.split("/"));
  await needSecrets(secrets, log);
  const search = secrets && new SecretSearch(secrets.masker(), commandIn(order), inner);
  const content = await readContent(inner, (piece, path) => search?.add(piece, path));
  search?.end();
  // A file that reached the limit was cut off there, and a script may have gone on.
  if (content.bytes >= diskBytes)
    throw new SettError(
      "process-failed",
      `${commandIn(order)} has filled its disk: \`resources.limits.disk\` allows ${sizeText(diskBytes)}.`,
    );
  await chmod(inner, 0o755);
  await rename(inner, join(root, treeFolder));
  return content;
}

/**
 * The folders that are empty then go with it. What the command has made a link of is not followed.
 * The names: in latin1.
 */
async function removePath(folder: Path, [name = "", ...names]: string[]): Promise<void> {
  const path = pathOfBytes(folder, name);
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return;
  if (names.length === 0) return await removeTree(path);
  if (!stats.isDirectory()) return;
  await removePath(path, names);
  // One that is not empty stays.
  await rmdir(path as string).catch(() => {});
}

async function copyIn(
  workspaceDir: string,
  { git, environment }: PrepareSettings,
): Promise<WorkingCopy> {
  const place = {
    agentName: maker,
    workspaceDir,
    layerDir: undefined,
    keptBy: undefined,
    keepsIgnored: false,
    git,
    grantAttempt: undefined,
    paths: undefined,
  };
  const copy = await workingCopyOf({ ...place, prepared: undefined }, environment.PATH, false);
  if (copy !== undefined) return copy;
  throw new SettError("git-failed", `There are no objects in ${git.objectsDir}.`);
}
