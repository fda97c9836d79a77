// A repository as it is stored, without what would change how git shows it.
//
// Attributes hide the lines of a file (`-diff`), a mailmap gives an author another name, notes,
// grafts and dozens of settings change a log or a diff. They come from the working copy, the index,
// `info`, and the configuration of the repository, the user and the machine; some of these an agent
// has written, once its work is merged. So git gets a folder with our own configuration, and the
// objects by a variable.
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inNewFolder } from "../../folders/new-folder.ts";
import { makeBareFolder } from "./bare-folder.ts";
import { lookApart } from "./file-name.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import { type Git, type GitResult, type GitRun, runGit, tryGit } from "./run-git.ts";

/** The same with every version of git, which has changed some defaults. */
const settings = [
  "core.attributesFile=/dev/null",
  "diff.renames=true",
  "diff.algorithm=myers",
  "diff.indentHeuristic=true",
];

/**
 * In fewer columns git leaves out the beginning of a long name: two names may look the same, and a
 * workflow like any other file.
 */
const wholeNames = ["--stat=100000", "--stat-graph-width=40"];
const rowOfFile = /^( .*\S) +( \| +(?:\d+(?: [+-]+)?|Bin(?: \d+ -> \d+ bytes)?))$/gm;
const usualWidth = 100;

export class PlainView implements AsyncDisposable {
  readonly #git: Git;
  readonly #gitDir: string;

  private constructor(git: Git, gitDir: string) {
    this.#git = git;
    this.#gitDir = gitDir;
  }

  /** It borrows what the environment of `git` names as alternate objects, too. */
  static async make(
    git: Git,
    place: Pick<RepositoryPlace, "commonDir" | "objectsDir" | "objectFormat">,
  ): Promise<PlainView> {
    const depth = await readFile(join(place.commonDir, "shallow"), "utf8").catch(() => undefined);
    const gitDir = await inNewFolder(join(tmpdir(), "sett-view-"), async (folder) => {
      await makeBareFolder(folder, place.objectFormat, depth);
      return folder;
    });
    const own = {
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_ATTR_NOSYSTEM: "1",
    };
    const env = { ...git.env, ...own, GIT_OBJECT_DIRECTORY: place.objectsDir };
    return new PlainView({ ...git, env, settings: [...(git.settings ?? []), ...settings] }, gitDir);
  }

  /** Throws git-failed unless git exits with 0. */
  async run(run: GitRun): Promise<string> {
    return await runGit(this.#git, this.#inView(run));
  }

  /**
   * A diff with these options, where no two names look the same: if one is no UTF-8, or has signs
   * that are not seen, git writes all names beyond ASCII with the octal digits of their bytes
   * (lib/git/run/file-name.ts). `--stat` shortens no name.
   */
  async diff(options: readonly string[], commits: readonly string[]): Promise<GitResult> {
    const run = {
      args: ["diff", "--name-only", "-z", "--no-renames", ...commits, "--"],
      encoding: "latin1" as const,
    };
    const names = await this.try(run);
    if (names.exitCode !== 0) return { ...names, stdout: "" };
    const quoting = lookApart(names.stdout) ? [] : ["-c", "core.quotePath=true"];
    const whole = options.flatMap((option) => (option === "--stat" ? wholeNames : option));
    const result = await this.try({ args: [...quoting, "diff", ...whole, ...commits, "--"] });
    return options.includes("--stat")
      ? { ...result, stdout: withoutWideColumn(result.stdout) }
      : result;
  }

  async try(run: GitRun): Promise<GitResult> {
    return await tryGit(this.#git, this.#inView(run));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#gitDir, { recursive: true, force: true });
  }

  #inView(run: GitRun): GitRun {
    return { ...run, args: [`--git-dir=${this.#gitDir}`, ...run.args], cwd: this.#gitDir };
  }
}

/** The names are a column, unless it were so wide that each row would become several. */
function withoutWideColumn(statistics: string): string {
  const rows = statistics.match(rowOfFile) ?? [];
  if (rows.every(({ length }) => length <= usualWidth)) return statistics;
  return statistics.replace(rowOfFile, "$1$2");
}
