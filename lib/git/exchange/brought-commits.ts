// Commits that a person elsewhere brings to an instance through its API. They go into the store
// alone, which agents see: the API can write to no more of the repository. A command on this
// machine takes them from there into the repository, with the name that is noted here.
//
// Nothing of the person's repository completes such a commit: beside what came, only the store is
// read. So no one gets by its hash what no agent sees.
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SettError } from "../../model/errors.ts";
import type { ArtefactId, CommitHash, GoalId } from "../../model/ids.ts";
import { borrowing, makeStore } from "../run/borrowing.ts";
import { limited } from "../run/limited.ts";
import { type Git, type GitRun, runGit, tryGit } from "../run/run-git.ts";
import { addToStore, seenIn } from "./object-store.ts";
import type { BroughtCommits } from "./port.ts";
import type { Store } from "./store.ts";
import { type Brought, noteBrought, readBrought, readDepth, readTips } from "./store-notes.ts";
import { takeFile } from "./take-commit.ts";

/** By store: the last change of its notes. The API notes the names of several goals at once. */
const lastNote = new Map<string, Promise<void>>();

export class StoredCommits implements BroughtCommits {
  readonly objectsDir: string;
  readonly #store: Store;

  constructor(store: Store) {
    this.objectsDir = store.path;
    this.#store = { ...store, git: limited(store.git) };
  }

  async seen(commits: readonly CommitHash[]): Promise<CommitHash[]> {
    return existsSync(this.#store.path) ? await seenIn(this.#store, commits) : [];
  }

  async take(commit: CommitHash, { pack, folder }: { pack: string; folder: string }) {
    // Named as the results are, of which the API removes what an earlier process has left.
    const gitDir = await mkdtemp(join(folder, "results-brought-"));
    try {
      const objectsDir = await this.#open(gitDir, commit);
      const { git } = this.#store;
      await takeFile({ git, gitDir, objectsDir }, pack).catch((cause: unknown) => {
        throw refusal(`git refuses the pack: ${messageOf(cause)}`, cause);
      });
      await this.#requireWhole(gitDir, commit);
      const place = { ...this.#store.place, objectsDir, promisors: [] };
      const env = { ...git.env, ...borrowing(objectsDir) };
      await addToStore({ ...this.#store, place, git: { ...git, env } }, [commit]);
    } finally {
      await rm(gitDir, { recursive: true, force: true });
    }
  }

  /** A repository that has what agents see. Resolves with the place of its own objects. */
  async #open(gitDir: string, commit: CommitHash): Promise<string> {
    const { git, path } = this.#store;
    const format = commit.length === 64 ? "sha256" : "sha1";
    const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, gitDir];
    await runGit(git, { args });
    const depth = await readDepth(path);
    if (depth !== undefined) await writeFile(join(gitDir, "shallow"), depth);
    const objectsDir = join(gitDir, "objects");
    await makeStore(objectsDir, path);
    return objectsDir;
  }

  async #requireWhole(gitDir: string, commit: CommitHash): Promise<void> {
    const { git } = this.#store;
    const type = await inPlace(git, gitDir, ["cat-file", "-t", commit]);
    if (type.stdout.trim() !== "commit") throw refusal(`It does not have commit ${commit}.`);
    const tips = (await readTips(this.#store)) as CommitHash[];
    const known = await this.seen(tips);
    const stdin = [commit, ...known.map((tip) => `^${tip}`)].map((line) => `${line}\n`).join("");
    const walk = ["rev-list", "--objects", "--quiet", "--stdin"];
    const { exitCode } = await inPlace(git, gitDir, walk, stdin);
    if (exitCode !== 0) throw refusal(`A part of what commit ${commit} reaches is missing.`);
    // Where it was merged, each `git log` of the person would end with an error at such a date.
    const shown = inPlaceOf(gitDir, ["log", "--format=%ad%cd", "--stdin"], stdin);
    await runGit(git, { ...shown, onStdout: () => {} }).catch((cause: unknown) => {
      throw refusal(`git cannot show all of its commits: ${messageOf(cause)}`, cause);
    });
  }

  async name(id: ArtefactId | GoalId, commit: CommitHash): Promise<void> {
    await this.#change((named) => [...named.filter((one) => one.id !== id), { id, commit }]);
  }

  async forget(id: ArtefactId | GoalId): Promise<void> {
    await this.#change((named) => named.filter((one) => one.id !== id));
  }

  /** One after the other: each reads what the one before has written. */
  async #change(change: (named: readonly Brought[]) => readonly Brought[]): Promise<void> {
    const { path } = this.#store;
    const before = lastNote.get(path) ?? Promise.resolve();
    const now = before.then(async () => {
      const named = await this.named();
      const others = change(named);
      if (others.length > 0 || named.length > 0) await noteBrought(this.#store, others);
    });
    const done = now.catch(() => undefined);
    lastNote.set(path, done);
    await now.finally(() => {
      if (lastNote.get(path) === done) lastNote.delete(path);
    });
  }

  async named(): Promise<Brought[]> {
    return await readBrought(this.#store);
  }
}

async function inPlace(git: Git, gitDir: string, args: readonly string[], stdin?: string) {
  return await tryGit(git, inPlaceOf(gitDir, args, stdin));
}

function inPlaceOf(gitDir: string, args: readonly string[], stdin?: string): GitRun {
  const run = { args: [`--git-dir=${gitDir}`, ...args], cwd: gitDir };
  return stdin === undefined ? run : { ...run, stdin };
}

function refusal(why: string, cause?: unknown): SettError {
  return new SettError("usage", `The pack of the commit is not taken. ${why}`, {
    hint: "Does your clone have its whole history? `git fetch --unshallow` and `git fsck` help to see.",
    cause,
  });
}
