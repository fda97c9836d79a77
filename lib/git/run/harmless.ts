// The settings and options of every run of git, so that nothing which an agent has written starts a
// program.
//
// A repository that a command has written to says in its configuration which programs git starts:
// for signatures, hooks, editors, passwords and more. Options on the command line come before it.

/** No file that can be run, so that git cannot start what a setting of this value names. */
const none = "/dev/null";

const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.quotePath=false",
  // A person works in a bare repository by going there; one in a commit is refused by itself
  // (find-repository.ts).
  "safe.bareRepository=all",
  "gc.auto=0",
  "maintenance.auto=false",
  "log.showSignature=false",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  `gpg.program=${none}`,
  `gpg.openpgp.program=${none}`,
  `gpg.x509.program=${none}`,
  `gpg.ssh.program=${none}`,
  `gpg.ssh.defaultKeyCommand=${none}`,
  `core.alternateRefsCommand=${none}`,
  `core.editor=${none}`,
  `sequence.editor=${none}`,
  "core.pager=cat",
  `interactive.diffFilter=${none}`,
  // Git would start another git in the folder of a submodule, with the configuration there.
  "submodule.recurse=false",
  "diff.submodule=short",
  // Sett packs into one pack, with one name.
  "pack.packSizeLimit=0",
];

/** No run reaches a remote, except one that fetches for the person in the person's repository. */
const withoutRemotes = [
  `core.sshCommand=${none}`,
  `core.askPass=${none}`,
  `core.gitProxy=${none}`,
  // An empty value forgets those before it.
  "credential.helper=",
  "protocol.allow=never",
];

/**
 * A server that sends nothing is waited for as long. The person's own settings of remotes count:
 * address, keys, proxies, helpers of passwords.
 */
const patience = ["http.lowSpeedLimit=1", "http.lowSpeedTime=60", "core.askPass="];

/**
 * Options of git before the subcommand, in every call. No call of ours may start a clean-up either.
 */
export function harmlessSettings(isFetch: boolean): string[] {
  const all = [...settings, ...(isFetch ? patience : withoutRemotes)];
  return all.flatMap((setting) => ["-c", setting]);
}

/** git must not prompt, and its reasons are shown in English. */
export const noPrompts = { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };

/** Commits are read as they are stored, whatever replacements and grafts a person has. */
const asStored = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null/none" };

const always = { ...noPrompts, ...asStored, GIT_OPTIONAL_LOCKS: "0" };

export const harmlessEnvironment = {
  ...always,
  // Otherwise git would fetch a missing object of a partial clone in the middle of another run.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_SSH: none,
  GIT_SSH_COMMAND: none,
};

/** Nothing that such a run starts waits for a person: neither a terminal nor a window is asked. */
export const fetchEnvironment = {
  ...always,
  GIT_ASKPASS: "",
  SSH_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GCM_INTERACTIVE: "never",
};

const ofDiffs = ["--no-ext-diff", "--no-textconv"];
/**
 * No setting has the effect of these: `diff.NAME.command` and `diff.NAME.textconv` may have any
 * name.
 */
const optionsOf: Readonly<Record<string, readonly string[]>> = {
  diff: ofDiffs,
  log: [...ofDiffs, "--no-show-signature"],
  show: [...ofDiffs, "--no-show-signature"],
  grep: ["--no-textconv"],
};

/** The arguments of a call with the options that its subcommand needs. */
export function harmlessArgs(args: readonly string[]): string[] {
  const at = subcommandAt(args);
  return [...args.slice(0, at + 1), ...(optionsOf[args[at] ?? ""] ?? []), ...args.slice(at + 1)];
}

/** `-c` has its value in the next argument, the other options of git in the same. */
export function subcommandAt(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-")) at += args[at] === "-c" ? 2 : 1;
  return at;
}
