// The changes of a commit of a command, for those that judge it before others have it. It is read
// in the store in which every object has been hashed, and nowhere else: the command's own may have
// other objects under the same names, and then shows another commit than its readers will get.
import { CommitHash } from "../../model/ids.ts";
import type { Origin, Shown } from "../exchange/port.ts";
import { changedPaths } from "../run/changed-paths.ts";
import type { Gitlink } from "../run/find-submodules.ts";
import { type BroughtContent, readContents } from "../run/lfs-contents.ts";
import {
  addedPointers,
  namesLfs,
  type Pointer,
  readPointer,
  smallBlobs,
} from "../run/lfs-pointers.ts";
import { newGitlinks } from "../run/new-gitlinks.ts";
import { type GitRun, runGit, tryGit } from "../run/run-git.ts";
import { type ChangeOutside, changeOutside } from "./changes-outside.ts";
import type { PathPointer } from "./layer.ts";
import { contentOf } from "./smudge.ts";
import type { SparsePaths } from "./sparse-paths.ts";
import { commitsIn } from "./submodules.ts";

interface Reading {
  /** A repository whose objects are what their names say. It has `commit` and `base`. */
  readonly of: Origin;
  readonly commit: CommitHash;
  /** The commit that the work began with. */
  readonly base: CommitHash;
  /** These and what they reach are no changes of the command. They need not be there. */
  readonly known: readonly CommitHash[];
  readonly sparse: SparsePaths | undefined;
  readonly workspaceDir: string;
  readonly shown: Shown;
  /** The objects that bring contents of LFS with the commit. */
  readonly contents: readonly string[];
}

// Git's diffs of several parents in one (`--cc`) leave out files that are no text, and end a line
// at a zero byte.
const noMerges = ["--no-merges"];
const mergesOfTwo = ["--merges", "--max-parents=2", "--remerge-diff"];
const otherMerges = ["--min-parents=3", "--diff-merges=first-parent"];

const patchOptions = [
  "--format=commit %H",
  "--root",
  "--text",
  "--unified=0",
  "--no-renames",
  "--no-color",
];

type OnChunk = (chunk: Uint8Array) => void;

export class CommitChanges {
  readonly #reading: Reading;
  #mayHaveLfs: Promise<boolean> | undefined;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  get commit(): CommitHash {
    return this.#reading.commit;
  }

  /** The tree of its files. */
  async tree(): Promise<string> {
    return (await this.#run({ args: ["rev-parse", "--verify", `${this.commit}^{tree}`] })).trim();
  }

  /**
   * The new commits themselves, byte for byte: their messages, authors and whatever else they say.
   * In pieces of any size.
   */
  async readCommits(onChunk: OnChunk): Promise<void> {
    const stdin = await this.#run({ args: ["rev-list", this.#range, "--"] });
    await this.#run({ args: ["cat-file", "--batch"], stdin, onStdout: onChunk });
  }

  /**
   * A patch of what the new commits have added: the names of files, and lines with all bytes, also
   * those that a later one removes again. Of a merge it has what git would not have made of its
   * parents; of one with three parents or more, for which git does not say that, all that is not in
   * the first. A line `commit HASH` is before each. In pieces of any size.
   */
  async readAdded(onChunk: OnChunk): Promise<void> {
    const range = [this.#range, "--"];
    const merges = await this.#run({ args: ["rev-list", "--merges", "--max-count=1", ...range] });
    for (const kind of merges === "" ? [noMerges] : [noMerges, mergesOfTwo, otherMerges]) {
      const args = ["log", "--patch", ...kind, ...patchOptions, ...range];
      await this.#run({ args, onStdout: onChunk });
    }
  }

  /**
   * The folders, in latin1, that are a repository of their own, and were none before; see
   * `newGitlinks`.
   */
  async newGitlinks(): Promise<string[]> {
    const { commit, workspaceDir: root } = this.#reading;
    const run = (each: GitRun) => this.#run(each);
    const changes = await this.#changes();
    return await newGitlinks({ run, changes, modules: `${commit}:.gitmodules`, root });
  }

  /** The submodules that were moved to commits that no clone of them has. */
  async lostGitlinks(): Promise<Gitlink[]> {
    const { objectsDir, submodules } = this.#reading.shown;
    const words = (await this.#changes()).split("\0");
    const moved = words.flatMap((word, at) => {
      const [, hash] = /^:\d+ 160000 [0-9a-f]+ ([0-9a-f]+) /.exec(word) ?? [];
      return hash === undefined || at % 2 === 1
        ? []
        : [{ path: words[at + 1] ?? "", commit: CommitHash.parse(hash) }];
    });
    const run = (each: GitRun) => this.#run(each);
    const shown = await commitsIn(run, submodules?.objectsDir, moved);
    // A repository may be a submodule of itself.
    const own = await commitsIn(run, objectsDir, moved);
    return moved.filter(({ commit: each }) => !shown.has(each) && !own.has(each));
  }

  /** The changed files of LFS whose content no one else has, and the commit does not bring. */
  async lostPointers(): Promise<PathPointer[]> {
    const pointers = await this.#changedPointers();
    const lost = new Set(await this.#unseen(pointers));
    const brought = lost.size === 0 ? [] : await this.#brought();
    return pointers.filter(
      (pointer) =>
        lost.has(pointer) &&
        !brought.some(({ oid, size }) => oid === pointer.oid && size === pointer.size),
    );
  }

  /**
   * The pointers of all commits since `start` whose contents are to come with them, because no one
   * else has these.
   */
  async pointersToBring(start: CommitHash): Promise<Pointer[]> {
    if (!(await this.#hasLfs())) return [];
    const revisions = `${this.#reading.commit}\n^${start}\n`;
    return await this.#unseen(await addedPointers((each) => this.#run(each), revisions));
  }

  /** The contents of LFS that the commit brings, in pieces of any size. */
  async readContents(onChunk: OnChunk): Promise<void> {
    await this.#brought(onChunk);
  }

  async #brought(onPiece?: OnChunk): Promise<BroughtContent[]> {
    return await readContents((each) => this.#run(each), this.#reading.contents, onPiece);
  }

  async #unseen<Each extends Pointer>(pointers: readonly Each[]): Promise<Each[]> {
    const { lfsDir } = this.#reading.shown;
    const unseen: Each[] = [];
    for (const pointer of pointers)
      if (lfsDir === undefined || (await contentOf(lfsDir, pointer)) === undefined)
        unseen.push(pointer);
    return unseen;
  }

  async #hasLfs(): Promise<boolean> {
    const { of, commit } = this.#reading;
    this.#mayHaveLfs ??= namesLfs((each) => tryGit(of.git, this.#inRepository(each)), commit);
    return await this.#mayHaveLfs;
  }

  /** The first change beyond the agent's part of the repository; undefined without a part. */
  async outside(): Promise<ChangeOutside | undefined> {
    const { of, commit, base, known, sparse } = this.#reading;
    return sparse && (await changeOutside({ of, commit, known: [...known, base], sparse }));
  }

  /** As the function of this name. `start` is in the store that every reader has. */
  async pathsSince(start: CommitHash): Promise<string[]> {
    return await changedPaths((run) => this.#run(run), start, this.#reading.commit);
  }

  /** Those that are in what is shown came from there, and are left out. */
  async #changedPointers(): Promise<PathPointer[]> {
    const { shown } = this.#reading;
    if (!(await this.#hasLfs())) return [];
    const words = (await this.#changes()).split("\0");
    const files = words.flatMap((word, at) => {
      const [, blob] = at % 2 === 0 ? (/^:\d+ 100\d+ [0-9a-f]+ ([0-9a-f]+) /.exec(word) ?? []) : [];
      return blob === undefined ? [] : [{ path: words[at + 1] ?? "", blob }];
    });
    const run = (each: GitRun) => this.#run(each);
    const texts = await smallBlobs(
      run,
      files.map(({ blob }) => blob),
    );
    const pointers = files.flatMap((file) => {
      const pointer = readPointer(texts.get(file.blob) ?? "");
      return pointer === undefined ? [] : [{ ...file, ...pointer }];
    });
    const known = await smallBlobs(
      (each) => run({ ...each, env: { GIT_OBJECT_DIRECTORY: shown.objectsDir } }),
      pointers.map(({ blob }) => blob),
    );
    return pointers.flatMap(({ blob, ...pointer }) => (known.has(blob) ? [] : [pointer]));
  }

  get #range(): string {
    return `${this.#reading.base}..${this.#reading.commit}`;
  }

  async #changes(): Promise<string> {
    const { base, commit } = this.#reading;
    const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", base, commit, "--"];
    return await this.#run({ args, encoding: "latin1" });
  }

  async #run(run: GitRun): Promise<string> {
    return await runGit(this.#reading.of.git, this.#inRepository(run));
  }

  #inRepository(run: GitRun): GitRun {
    const { gitDir } = this.#reading.of;
    return { ...run, args: [`--git-dir=${gitDir}`, ...run.args], cwd: gitDir };
  }
}
