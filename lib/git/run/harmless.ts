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
  `core.sshCommand=${none}`,
  `core.askPass=${none}`,
  `core.gitProxy=${none}`,
  `core.alternateRefsCommand=${none}`,
  `core.editor=${none}`,
  `sequence.editor=${none}`,
  "core.pager=cat",
  `interactive.diffFilter=${none}`,
  // An empty value forgets those before it.
  "credential.helper=",
  "protocol.allow=never",
  // Git would start another git in the folder of a submodule, with the configuration there.
  "submodule.recurse=false",
  "diff.submodule=short",
];

/**
 * Options of git before the subcommand, in every call. No call of ours may start a clean-up either.
 */
export const harmlessSettings: readonly string[] = settings.flatMap((setting) => ["-c", setting]);

/** git must not prompt, and its reasons are shown in English. */
export const noPrompts = { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };

export const harmlessEnvironment = {
  ...noPrompts,
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  // Otherwise git would fetch a missing object of a partial clone with the command that its
  // configuration names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
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
