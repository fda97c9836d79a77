// A shell for a person in the container that was made for it: with the environment that the command
// of the agent has, and none of the cub's own.
import { spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { systemClock } from "../../../lib/async/clock.ts";
import { ownIdentity } from "../../../lib/git/run/own-config.ts";
import { reachable } from "../../../lib/reach/reachable.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { Secrets } from "../secrets/secrets.ts";
import { proxyVariables, toolEnvironment } from "../tool/tool-environment.ts";
import type { ExamineSettings } from "./examine.ts";

/** As a shell says that it has not found a command. */
const notFound = 127;

/** Bash by its usual prompt would say that the user has no name. */
const better = [
  "command -v bash >/dev/null 2>&1 && PS1='$SETT_AGENT_NAME:\\w\\$ ' exec bash --norc",
  "PS1='$SETT_AGENT_NAME$ ' exec sh",
].join("\n");

/**
 * The exit code is that of the shell. `args`: the kind of the person's terminal, as in the variable
 * TERM, where there is one.
 */
export async function runShell(
  [terminal]: readonly string[],
  settings: ExamineSettings,
): Promise<void> {
  const { agentName, role, commandEnvironment, environment, workspaceDir } = settings;
  const log = createJsonLog(() => {}, systemClock.now);
  const egressUrl = settings.egressUrl && (await reachable(settings.egressUrl, { log }));
  const secrets =
    settings.secrets && new Secrets(settings.secrets.folder, settings.secrets.variables);
  const env = {
    ...ownIdentity(agentName),
    ...toolEnvironment(environment, role, commandEnvironment),
    ...proxyVariables(egressUrl),
    ...secrets?.variables(),
    ...(terminal !== undefined && { TERM: terminal }),
  };
  // The keys of the terminal are for the shell.
  for (const name of ["SIGINT", "SIGQUIT", "SIGTSTP"] as const) process.on(name, () => {});
  const cwd = (await isThere(join(workspaceDir, ".git"))) ? workspaceDir : process.cwd();
  const child = spawn("sh", ["-c", better], { stdio: "inherit", cwd, env });
  const exitCode = await new Promise<number | undefined>((resolve) => {
    child.once("error", () => resolve(undefined));
    child.once("exit", (code) => resolve(code ?? 1));
  });
  if (exitCode === undefined) console.error("The image has no shell (`sh`).");
  // The way to the proxy would keep this program running.
  process.exit(exitCode ?? notFound);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
