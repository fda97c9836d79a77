// Finds the repository that a path belongs to, and refuses one that agents could not work with.
import { mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { SettError } from "../../model/errors.ts";
import { shellWord } from "../../model/shell-word.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import { failureLine, type Git, type GitResult, gitFailure, tryGit } from "./run-git.ts";
import { goToWorkTree, workTreesBelow, workTreesOf } from "./work-trees.ts";

/** A user and a group by number. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The places of a repository's parts; in a linked worktree or a submodule they are not all below
 * `toplevel`. Absolute paths.
 */
export interface RepositoryPlace {
  readonly toplevel: string;
  /** It has no files and no index; `toplevel` is its own folder then. */
  readonly isBare: boolean;
  /** Holds HEAD and the index. */
  readonly gitDir: string;
  /** Holds objects and refs, and Sett's own folder. */
  readonly commonDir: string;
  readonly objectsDir: string;
  readonly objectFormat: "sha1" | "sha256";
  /** The remotes that have what a partial clone lacks; empty for any other repository. */
  readonly promisors: readonly string[];
  /** The person who commits here, as far as git's configuration says. */
  readonly person: { readonly name?: string; readonly email?: string };
  /** git-lfs of the person keeps contents there: from `commonDir`, unless it is absolute. */
  readonly lfsFolder: string;
  readonly owner: Owner;
  /** The user that containers run as: the owner, but never root. */
  readonly containerUser: Owner;
}

/** The user of containers where root owns the repository. */
const unprivileged: Owner = { uid: 10001, gid: 10001 };

/** Throws repository-unusable; git-failed when git itself is missing. */
export async function findRepository(git: Git, path: string): Promise<RepositoryPlace> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder)
    throw unusable(`There is no folder ${path}.`, "Give the folder of a git repository.");
  const [isBare, isInside, format, ...where] = await ask(git, path);
  if (isBare !== "true" && isInside !== "true") throw await isBeside(path, where[0] ?? "");
  const [gitDir, commonDir, toplevel = gitDir, ...rest] = where;
  if (
    gitDir === undefined ||
    commonDir === undefined ||
    toplevel === undefined ||
    rest.length > 0
  ) {
    throw unusable(`The path of the repository of ${path} has a line break.`, "Rename the folder.");
  }
  if (isBare === "true") await requireBare(git, path, gitDir);
  const objectsDir = await realpath(join(commonDir, "objects"));
  const { uid, gid } = await stat(commonDir);
  const containerUser = uid === 0 ? unprivileged : { uid, gid };
  const objectFormat = format === "sha256" ? "sha256" : "sha1";
  return {
    toplevel,
    isBare: isBare === "true",
    gitDir,
    commonDir,
    objectsDir,
    objectFormat,
    ...(await settingsIn(git, gitDir)),
    owner: { uid, gid },
    containerUser,
  };
}

async function isBeside(path: string, gitDir: string): Promise<SettError> {
  if (`${await realpath(path)}/`.startsWith(`${gitDir}/`))
    return unusable(
      `${path} is inside a repository's own folder.`,
      "Go to the files of the repository.",
    );
  return unusable(
    `The repository of ${path} has its files in another folder (core.worktree).`,
    "Sett works where a repository is with its files: in a clone of it, or in a folder that `git worktree add` makes.",
  );
}

/**
 * A person beside the work trees of a bare repository means one of them, unless the repository
 * itself has an instance already.
 */
async function requireBare(git: Git, path: string, gitDir: string): Promise<void> {
  const place = "^sett\\..*\\.worktree$";
  const known = await tryGit(git, {
    args: [`--git-dir=${gitDir}`, "config", "-z", "--get-regexp", place],
  });
  const isInside = `${await realpath(path)}/`.startsWith(`${gitDir}/`);
  if (!isInside) await requireNoFiles(path, gitDir);
  await requireNoFileOfAnother(git, gitDir);
  const hasInstance = known.stdout.split("\0").some((entry) => /\n$/.test(entry));
  const elsewhere = hasInstance ? undefined : goToWorkTree(path, await workTreesOf(git, gitDir));
  if (elsewhere !== undefined) throw elsewhere;
  if (isInside) return;
  const go = `Go to its own folder: cd ${shellWord(gitDir)}`;
  throw unusable(`${path} names a bare repository in another folder.`, go);
}

/**
 * A repository with files may say that it has none: programs that make work trees have left that
 * behind. git then refuses what needs files.
 */
async function requireNoFiles(path: string, gitDir: string): Promise<void> {
  const isLinked = basename(dirname(gitDir)) === "worktrees";
  const hasIndex = await stat(join(gitDir, "index")).then(
    () => true,
    () => false,
  );
  if (!isLinked && !(hasIndex && basename(gitDir) === ".git")) return;
  const own = isLinked ? " --worktree" : "";
  throw unusable(
    `The repository of ${path} has files, and its configuration says that it has none (core.bare is true).`,
    `Put it right: git -C ${shellWord(path)} config${own} core.bare false`,
  );
}

/**
 * Files of a commit may look like a bare repository, which an agent may have made: their settings
 * start programs of its choice.
 */
async function requireNoFileOfAnother(git: Git, gitDir: string): Promise<void> {
  const cwd = dirname(gitDir);
  const options = ["-c", "safe.directory=*", "--literal-pathspecs"];
  const args = [...options, "ls-files", "-z", "--", basename(gitDir)];
  const { stdout } = await tryGit(git, { args, cwd });
  if (stdout === "") return;
  throw unusable(
    `${gitDir} is no repository of its own: its files are in the commits of the repository around it.`,
    `Go to that one: cd ${shellWord(cwd)}`,
  );
}

export function unusable(message: string, hint: string): SettError {
  return new SettError("repository-unusable", message, { hint });
}

/** The last one is refused, after the answers to the others, where there are no files. */
const questions = [
  "--is-bare-repository",
  "--is-inside-work-tree",
  "--show-object-format",
  "--path-format=absolute",
  "--git-dir",
  "--git-common-dir",
  "--show-toplevel",
];

/** The answers of `git rev-parse`, a line each. */
async function ask(git: Git, path: string): Promise<string[]> {
  const run = { args: ["rev-parse", ...questions], cwd: path };
  const result = await tryGit(git, run);
  const answers = answersIn(result);
  if (answers !== undefined) return answers;
  if (/not a git repository/.test(result.stderr)) {
    const make = unusable(
      `${path} is not in a git repository.`,
      "Make it one: `git init`, `git add`, `git commit`.",
    );
    throw goToWorkTree(path, await workTreesBelow(path)) ?? make;
  }
  if (/unknown repository extension|git repo version/.test(result.stderr)) {
    const reason = failureLine(result.stderr);
    const why = `A newer git has made it. Update git on this machine, then try again.`;
    throw unusable(
      `The git of this machine cannot read the repository of ${path}: ${reason}.`,
      why,
    );
  }
  if (!isForeign(result)) throw gitFailure(run, result);
  if (process.getuid?.() !== 0) {
    const hint =
      "Work in a clone of your own, or name the folder as safe.directory in your git configuration.";
    throw unusable(`The repository of ${path} belongs to another user.`, hint);
  }
  return await askAsRoot(git, path, run.args);
}

function isForeign(result: GitResult): boolean {
  return /dubious ownership|unsafe repository/.test(result.stderr);
}

/**
 * Root may work in the repository of any user, but git requires a setting for that. Only this call
 * needs it: later calls name the repository explicitly, and git then does not check its owner.
 */
async function askAsRoot(git: Git, path: string, args: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "sett-git-"));
  try {
    const config = join(folder, "config");
    await writeFile(config, "[safe]\n\tdirectory = *\n");
    const run = { args, cwd: path, env: { GIT_CONFIG_GLOBAL: config } };
    const result = await tryGit(git, run);
    const answers = answersIn(result);
    if (answers === undefined) throw gitFailure(run, result);
    return answers;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Undefined where git refuses more than the last question. */
function answersIn({ exitCode, stdout, stderr }: GitResult): string[] | undefined {
  if (exitCode !== 0 && !/must be run in a work tree/.test(stderr)) return undefined;
  return stdout.replace(/\n$/, "").split("\n");
}

/** The remotes that have what a partial clone lacks. */
export async function promisorsOf(git: Git, gitDir: string): Promise<readonly string[]> {
  return (await settingsIn(git, gitDir)).promisors;
}

type Settings = Pick<RepositoryPlace, "promisors" | "person" | "lfsFolder">;

/** One start of git reads all of them. */
async function settingsIn(git: Git, gitDir: string): Promise<Settings> {
  const promises = "extensions\\.partialclone|remote\\..*\\.(promisor|partialclonefilter)";
  const keys = `^(${promises}|user\\.(name|email)|lfs\\.storage)$`;
  const read = [`--git-dir=${gitDir}`, "config", "-z"];
  const { stdout } = await tryGit(git, { args: [...read, "--get-regexp", keys] });
  const entries = stdout.split("\0").map((entry) => {
    const [key = "", ...value] = entry.split("\n");
    return { key, value: value.join("\n") };
  });
  // The last one counts where there are several.
  const lastOf = (name: string) => entries.findLast(({ key }) => key === name)?.value;
  const lfs = lastOf("lfs.storage") || "lfs";
  // Only git knows which folder such a sign means.
  const path = { args: [...read.slice(0, -1), "--type=path", "--get", "lfs.storage"] };
  const lfsFolder = /^[~%]/.test(lfs) ? (await tryGit(git, path)).stdout.replace(/\n$/, "") : lfs;
  return {
    promisors: promisorsIn(entries),
    person: withoutUndefined({ name: lastOf("user.name"), email: lastOf("user.email") }),
    lfsFolder: lfsFolder || "lfs",
  };
}

function promisorsIn(entries: readonly { key: string; value: string }[]): string[] {
  const names = entries.flatMap(({ key, value }) => {
    if (key === "extensions.partialclone") return [value];
    if (key.endsWith(".promisor") && !/^(?:true|yes|on|1|)$/i.test(value)) return [];
    return /^remote\.(.*)\.[a-z]+$/s.exec(key)?.slice(1) ?? [];
  });
  return [...new Set(names)];
}
