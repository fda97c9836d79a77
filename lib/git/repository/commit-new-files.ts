// Commits new files at a person's request, as that person would: with their hooks, their signature
// and their name.
//
// The index of the repository is not touched before the commit is made: a copy of it has the files.
// So an end at any moment, also by SIGKILL, leaves nothing half-staged.
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SettError } from "../../model/errors.ts";
import { runAsPerson } from "../run/as-person.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { hintOfSigner, namingWaits } from "../run/person-programs.ts";
import { type Git, tryGit } from "../run/run-git.ts";

export type NewFiles = {
  /**
   * Relative to the top folder, and new to git. Only they are committed, and no other staged file.
   */
  paths: readonly string[];
  subject: string;
  /** Aborting it ends git, with the signers and hooks that it has started. */
  signal: AbortSignal;
  /** Is given what git waits for, if it takes more than 3 s. */
  onSlow: (sentence: string) => void;
};

/**
 * Throws git-failed with git's reason, and `interrupted`; the index is then as it was. Where the
 * commit was made before the interruption, as while a hook runs after it, it stays, and this
 * resolves: with git's reason, where the files are committed and the index could not be given them.
 */
export async function commitNewFiles(
  git: Git,
  place: RepositoryPlace,
  { paths, subject, signal, onSlow }: NewFiles,
): Promise<string | undefined> {
  const { gitDir, toplevel } = place;
  const { stdout } = await tryGit(git, { cwd: toplevel, args: ["check-ignore", "--", ...paths] });
  const ignored = stdout.split("\n").filter((path) => path !== "");
  if (ignored.length > 0) {
    throw new SettError(
      "git-failed",
      `The files cannot be committed: git ignores ${ignored.join(", ")}.`,
      {
        hint: `This shows the rule: git check-ignore --verbose ${ignored[0]}`,
      },
    );
  }
  const folder = await mkdtemp(join(tmpdir(), "sett-index-"));
  const index = join(folder, "index");
  const run = (args: readonly string[], over: { signal?: AbortSignal; env?: Git["env"] } = {}) =>
    runAsPerson({ ...git, env: { ...git.env, ...over.env }, signal: over.signal }, toplevel, [
      ...[`--git-dir=${gitDir}`, `--work-tree=${toplevel}`, "--literal-pathspecs"],
      ...args,
    ]).then(({ failure }) => failure);
  const inCopy = (subcommand: "add" | "commit", ...args: string[]) =>
    namingWaits(subcommand, { git, place, onSlow }, () =>
      run([subcommand, ...args], { signal, env: { GIT_INDEX_FILE: index } }),
    );
  const hintAbout = async (failure: string) => {
    const signer = await hintOfSigner(failure, git, place);
    return signer === undefined
      ? "Does `git commit` work here?"
      : `${signer}, then the same again.`;
  };
  const head = async () =>
    (
      await tryGit(git, {
        args: [`--git-dir=${gitDir}`, "rev-parse", "--quiet", "--verify", "HEAD"],
      })
    ).stdout;
  try {
    // There is no index where nothing was ever staged.
    await copyFile(join(gitDir, "index"), index).catch(() => undefined);
    const before = await head();
    const added = await inCopy("add", "--", ...paths);
    const failure =
      added ??
      (await inCopy("commit", "--quiet", "--only", `--message=${subject}`, "--", ...paths));
    if (failure !== undefined && (await head()) === before) {
      if (signal.aborted) throw new SettError("interrupted", "Interrupted: nothing was committed.");
      const hasIdentity = (await run(["var", "GIT_COMMITTER_IDENT"])) === undefined;
      const hint = hasIdentity ? await hintAbout(failure) : setIdentity;
      throw new SettError("git-failed", `The files cannot be committed: ${failure}`, { hint });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  // An interruption before this is no reason to leave the index behind its commit.
  const until = signal.aborted ? {} : { signal };
  return await namingWaits("add", { git, place, onSlow }, () =>
    run(["add", "--", ...paths], until),
  );
}

const setIdentity =
  'Set your name and address for git, and try again: git config --global user.name "…" && git config --global user.email "…"';
