// The programs of a person's own that git may run and wait for: signers, hooks, filters, watchers
// of files, keepers of passwords.
import { execFile } from "node:child_process";
import { access, constants, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { RepositoryPlace } from "./find-repository.ts";
import type { Git } from "./run-git.ts";

/** `status` runs with our own settings, so that of these only filters are left. */
type WaitedFor = "commit" | "merge" | "add" | "status" | "fetch";

/** How long a git may take before its person reads what it may wait for. */
const slowMs = 3_000;

const filtersOfAdd = /^filter\..*\.(?:clean|process)$/;
/** A merge writes files as well. */
const programsOfMerge = /^(?:filter\..*\.(?:clean|smudge|process)|merge\..*\.driver)$/;
/** A fetch writes no files, and moves no name. */
const programsOfFetch = /^(?:credential\.(?:.*\.)?helper|core\.sshcommand)$/;
const hooksOfAdd = ["post-index-change"];
const hooksOfCommit = [
  "pre-commit",
  "prepare-commit-msg",
  "commit-msg",
  "post-commit",
  "reference-transaction",
  ...hooksOfAdd,
];
const hooksOf = {
  add: hooksOfAdd,
  commit: hooksOfCommit,
  merge: ["pre-merge-commit", "post-merge", ...hooksOfCommit],
};

export type Waiting = {
  git: Git;
  place: RepositoryPlace;
  onSlow: ((sentence: string) => void) | undefined;
};

/**
 * Names what the git may wait for once it has taken `slowMs`; nothing where the person has no such
 * program.
 */
export async function namingWaits<Result>(
  subcommand: WaitedFor,
  { git, place, onSlow }: Waiting,
  work: () => Promise<Result>,
): Promise<Result> {
  let hasEnded = false;
  const timer = setTimeout(async () => {
    const reasons = await reasonsToWait(git, place, subcommand);
    if (!hasEnded && reasons.length > 0)
      onSlow?.(`Waiting for \`git ${subcommand}\`: ${reasons.join("; ")}.`);
  }, slowMs);
  try {
    return await work();
  } finally {
    hasEnded = true;
    clearTimeout(timer);
  }
}

async function reasonsToWait(
  git: Git,
  place: RepositoryPlace,
  subcommand: WaitedFor,
): Promise<string[]> {
  const settings = await settingsOf(git, place);
  const found = [...settings.keys()]
    .filter((name) => programsOf(subcommand).test(name) && settings.get(name) !== "")
    .filter((name) => isForRemote(name, settings))
    .map((name) => `${name} is set, and runs ${firstWord(settings.get(name))}`);
  if (subcommand === "status" || subcommand === "fetch") return found;
  const watcher = settings.get("core.fsmonitor") ?? "";
  if (watcher.includes("/")) found.push(`core.fsmonitor is set, and runs ${firstWord(watcher)}`);
  if (subcommand !== "add" && isSigning(settings))
    found.unshift(
      `commit.gpgsign is set, and ${signerOf(settings)} signs, which may ask for a password`,
      ...keyCommandOf(settings),
    );
  const hooks = await presentHooks(git, place, hooksOf[subcommand]);
  if (hooks.length > 0)
    found.push(`${hooks.length === 1 ? "the hook" : "the hooks"} ${hooks.join(", ")} may run`);
  return found;
}

/** A helper may be for one server alone; one with a pattern counts. */
function isForRemote(name: string, settings: ReadonlyMap<string, string>): boolean {
  const [, server] = /^credential\.(.+)\.helper$/.exec(name) ?? [];
  const urls = [...settings].filter(([key]) => /^remote\..*\.url$/.test(key));
  return server === undefined || /\*/.test(server) || urls.some(([, url]) => url.includes(server));
}

function programsOf(subcommand: WaitedFor): RegExp {
  if (subcommand === "fetch") return programsOfFetch;
  return subcommand === "merge" ? programsOfMerge : filtersOfAdd;
}

/**
 * What to do, without an end, where a commit was not made for want of its signature. `failure`: in
 * git's words. The signer's own do not say what it is: `Load key "…": …`, or nothing at all.
 */
export async function hintOfSigner(
  failure: string,
  git: Git,
  place: RepositoryPlace,
): Promise<string | undefined> {
  if (!/failed to (?:write commit object|sign the data)/.test(failure)) return undefined;
  const settings = await settingsOf(git, place);
  if (!isSigning(settings)) return undefined;
  return `Your commits are signed (commit.gpgsign), by ${signerOf(settings)}, which may have no way to ask for a passphrase. Let it ask once by hand (\`export GPG_TTY=$(tty); echo | gpg --sign > /dev/null\`, or \`ssh-add\`)`;
}

/** The person's key of SSH, and the program that signs with it, by the settings of git. */
export async function sshSignerIn(
  git: Git,
  place: RepositoryPlace,
): Promise<{ format: string | undefined; key: string | undefined; program: string | undefined }> {
  const settings = await settingsOf(git, place);
  return {
    format: settings.get("gpg.format"),
    key: settings.get("user.signingkey"),
    program: settings.get("gpg.ssh.program"),
  };
}

function isSigning(settings: ReadonlyMap<string, string>): boolean {
  return /^(?:true|yes|on|[1-9]\d*|)$/i.test(settings.get("commit.gpgsign") ?? "false");
}

function signerOf(settings: ReadonlyMap<string, string>): string {
  const format = settings.get("gpg.format") ?? "openpgp";
  const usual = { ssh: "ssh-keygen", x509: "gpgsm" }[format] ?? "gpg";
  // git starts it without a shell, so that a blank belongs to its path.
  return (
    settings.get(`gpg.${format}.program`) ??
    (format === "openpgp" ? settings.get("gpg.program") : undefined) ??
    usual
  );
}

/** Before it signs, git asks this command for a key if none is named. */
function keyCommandOf(settings: ReadonlyMap<string, string>): string[] {
  const command = settings.get("gpg.ssh.defaultkeycommand");
  const isAsked = settings.get("gpg.format") === "ssh" && !settings.get("user.signingkey");
  if (command === undefined || !isAsked) return [];
  return [`gpg.ssh.defaultKeyCommand is set, and runs ${firstWord(command)}`];
}

function firstWord(command: string | undefined): string {
  return command?.trim().split(/\s+/)[0] ?? "";
}

/**
 * Without our own settings, which would replace them. Reading the configuration starts no program.
 */
async function settingsOf(git: Git, place: RepositoryPlace): Promise<Map<string, string>> {
  const listed = await ask(git, place, ["config", "-z", "--list"]);
  const entries = listed.split("\0").flatMap((entry): [string, string][] => {
    const at = entry.indexOf("\n");
    if (entry === "") return [];
    return [at === -1 ? [entry, "true"] : [entry.slice(0, at), entry.slice(at + 1)]];
  });
  return new Map(entries);
}

async function presentHooks(
  git: Git,
  place: RepositoryPlace,
  hooks: readonly string[],
): Promise<string[]> {
  const named = (
    await ask(git, place, ["rev-parse", "--path-format=absolute", "--git-path", "hooks"])
  ).replace(/\n$/, "");
  const present: string[] = await readdir(named).catch(() => []);
  const runs = await Promise.all(
    hooks.map(async (hook) =>
      present.includes(hook)
        ? await access(join(named, hook), constants.X_OK).then(
            () => [hook],
            () => [],
          )
        : [],
    ),
  );
  return runs.flat();
}

async function ask(
  git: Git,
  { gitDir, toplevel }: RepositoryPlace,
  args: readonly string[],
): Promise<string> {
  const env = { ...git.env, LC_ALL: "C" };
  const all = [`--git-dir=${gitDir}`, `--work-tree=${toplevel}`, ...args];
  return (
    await promisify(execFile)(git.path, all, { cwd: toplevel, env }).catch(() => ({ stdout: "" }))
  ).stdout;
}
