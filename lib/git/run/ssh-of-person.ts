// How git reaches a server by ssh, as its person has set it, but without a question to the person.
import { basename } from "node:path";
import { type Git, tryGit } from "./run-git.ts";

/** Options of OpenSSH; other programs know others, and find no terminal to ask on. */
const unattended = "-o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=30";

/** The variables of a run with `isFetch`. */
export async function sshOfPerson(git: Git, gitDir: string): Promise<Record<string, string>> {
  const { GIT_SSH: program, GIT_SSH_COMMAND: command } = git.env;
  if (command === undefined && program !== undefined) return {};
  const words = command ?? (await configured(git, gitDir)) ?? "ssh";
  const [first = ""] = words.trim().split(/\s+/);
  return { GIT_SSH_COMMAND: basename(first) === "ssh" ? `${words} ${unattended}` : words };
}

async function configured(git: Git, gitDir: string): Promise<string | undefined> {
  // Our own settings replace this one, except in a run that fetches.
  const args = [`--git-dir=${gitDir}`, "config", "--get", "core.sshCommand"];
  const { exitCode, stdout } = await tryGit(git, { args, isFetch: true });
  return exitCode === 0 ? stdout.trim() : undefined;
}
