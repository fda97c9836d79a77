// Runs an example agent's script as the cub does, with a bare environment, and reads its answer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { root } from "../root.ts";

export type AgentRun = { exitCode: number; stdout: string; stderr: string };

/** No HOME and no git configuration but the repository's own. */
const environment = { PATH: process.env.PATH ?? "/usr/bin:/bin", GIT_CONFIG_NOSYSTEM: "1" };

export function agentScript(agent: string): string {
  return join(root, "agents", agent, "run.sh");
}

/** `settings`: what `environment` in sett.yml would add. */
export async function runAgent(
  agent: string,
  work: unknown,
  folder: string,
  settings: Record<string, string> = {},
): Promise<AgentRun> {
  const stdin = typeof work === "string" ? work : JSON.stringify(work);
  return runTidy(["sh", agentScript(agent)], folder, stdin, settings);
}

/** The adapter with a CLI's script. */
export async function runCli(
  script: string,
  work: string,
  folder: string,
  settings: Record<string, string>,
): Promise<AgentRun> {
  const adapter = join(root, "agents/adapter/run-cli");
  return runTidy(["sh", adapter, script], folder, work, settings);
}

/** Any other script of `agents/`. */
export async function runScript(
  script: string,
  words: string[],
  folder: string,
  settings: Record<string, string> = {},
): Promise<AgentRun> {
  const path = join(root, "agents", script);
  return runTidy(["sh", path, ...words], folder, "", settings);
}

/** Throws where the script leaves something behind: a machine may run many of them. */
async function runTidy(
  command: string[],
  folder: string,
  stdin: string,
  settings: Record<string, string>,
): Promise<AgentRun> {
  const temporary = await mkdtemp(join(tmpdir(), "sett-agent-"));
  try {
    const env = { ...environment, TMPDIR: temporary, ...settings };
    const done = await run(command, folder, stdin, env);
    const left = await readdir(temporary);
    if (left.length > 0) throw new Error(`${command.join(" ")} has left ${left.join(", ")}`);
    return done;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The output of git, trimmed; throws with its stderr when it fails. */
export async function git(folder: string, ...words: string[]): Promise<string> {
  return gitWithInput(folder, "", ...words);
}

export async function gitWithInput(
  folder: string,
  input: string,
  ...words: string[]
): Promise<string> {
  const { exitCode, stdout, stderr } = await run(["git", ...words], folder, input);
  if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout.trim();
}

async function run(
  [program = "", ...words]: string[],
  folder: string,
  stdin: string,
  env = environment,
): Promise<AgentRun> {
  const child = spawn(program, words, { cwd: folder, env, stdio: "pipe" });
  // A script that ends without having read it all makes EPIPE, which is no fault.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { exitCode: Number(exitCode), stdout, stderr };
}
