// An agent's own working copy, made inside its container from objects that the agent may only read.
import {
  access,
  chmod,
  constants,
  mkdir,
  readFile,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { emptyFolder, mendFolder, removeTree } from "../../folders/remove-tree.ts";
import { SettError } from "../../model/errors.ts";
import type { AgentName, CommitHash } from "../../model/ids.ts";
import type { PreparedWorkspace } from "../../model/prepare.ts";
import type { AgentExchange, Origin, RecordedCommit } from "../exchange/port.ts";
import { makeStore } from "../run/borrowing.ts";
import type { Gitlink } from "../run/find-submodules.ts";
import { fullDiskOf, sayingFullDisk } from "../run/full-disk.ts";
import {
  addContent,
  bytesOfContents,
  contentLeftIn,
  findContents,
  writeContent,
} from "../run/lfs-contents.ts";
import { namesLfs, type Pointer } from "../run/lfs-pointers.ts";
import { ownConfig } from "../run/own-config.ts";
import { type Git, type GitRun, gitFailure, runGit, tryGit } from "../run/run-git.ts";
import type { GitLimits } from "../run/watch-limits.ts";
import { bringCommits, type Places } from "./bring-commits.ts";
import { CleanView } from "./clean-view.ts";
import { CommitChanges } from "./commit-changes.ts";
import { copyMissing } from "./copy-missing.ts";
import { differenceOf } from "./difference.ts";
import type { HashBytes } from "./index-stats.ts";
import { keepCheckout } from "./kept-checkout.ts";
import { type KeyFiles, listKeyFiles, readKeyFiles, sizeOfFiles } from "./key-files.ts";
import { KnownFolders } from "./known-folders.ts";
import type { Checkout } from "./layer.ts";
import { contentOf, smudge } from "./smudge.ts";
import type { SparsePaths } from "./sparse-paths.ts";
import { SubmoduleExchange } from "./submodule-exchange.ts";
import { Submodules } from "./submodules.ts";
import { TrackedFiles } from "./tracked-files.ts";
import { clearFolders, clearHidden } from "./tracked-folders.ts";
import { readTree, type TreeFacts } from "./tree-facts.ts";
import { clearUntracked, putAway } from "./untracked-files.ts";
import {
  type CheckoutOptions,
  CommitMissing,
  CommitTooLarge,
  PathTooLong,
} from "./unusable-commit.ts";

export interface WorkingCopyOptions {
  /** In an agent's container the git beside the cub, with the environment that it needs there. */
  readonly git: Git;
  /**
   * The author of the commits that the tool makes, unless the tool's own git is configured
   * otherwise.
   */
  readonly agentName: AgentName;
  /** The agent's side of it: where objects come from, and where its commits go. */
  readonly exchange: AgentExchange;
  /** The agent's own volume: `/workspace`. */
  readonly workspaceDir: string;
  /** True: files that git ignores stay for the next grant. */
  readonly keepsIgnored?: boolean;
  /** Only these files are checked out, and what is published changes no other. */
  readonly sparse?: SparsePaths | undefined;
  /** In the place of the usual limits of each git. */
  readonly limits?: GitLimits;
  /** The checkout over which the workspace lies (layer.ts). */
  readonly layer?: Checkout | undefined;
  /** The checkout that the program before has left in the workspace; it comes before the layer. */
  readonly kept?: Checkout | undefined;
  /** Something may have written over the layer before. */
  readonly isUsed?: boolean;
  /**
   * Seals what the next program that works in the workspace is to know of it; no command can read
   * it. Without it nothing is kept.
   */
  readonly keptBy?: Uint8Array | undefined;
  /** The folder that was prepared for all who begin with the same files. */
  readonly prepared?: PreparedWorkspace | undefined;
}

/** `base`: the commit that the work began with. */
export interface Judging<Refusal> {
  readonly base: CommitHash;
  readonly judge: (changes: CommitChanges) => Promise<Refusal | undefined>;
}

/**
 * How much of a processor a git may take for a commit, which another agent may have made: a hundred
 * times what the checkout of 100 000 files takes.
 */
const checkoutMs = 20 * 60_000;

/** The same for what a command has left, which is removed without git when it costs more. */
const leftoversMs = 5 * 60_000;

/** With more folders git is quicker. */
const maxListed = 1_000;

/** A commit with fewer folders is read whole by one git. */
const minListed = 500;

/** The most bytes of a path, without the zero byte behind it. */
const pathBytes = process.platform === "linux" ? 4_095 : 1_023;

/** An agent most often works at the commits of one goal in turn. */
const maxKnownTrees = 4;

/**
 * Each grant begins with the files of its base. Those that are the same as before stay where they
 * are, which the index of the checkout before shows; it is kept here, because a tool could write
 * into its own that a file which it has changed is unchanged. `.git` is made anew each time, so
 * that configuration, hooks, branches, locks or an unfinished merge of a tool end with its grant.
 * After the tool its repository is only read through a `CleanView`. Every call names the repository
 * explicitly: git then searches for none and does not check its owner.
 */
export class WorkingCopy {
  readonly exchange: AgentExchange;
  readonly #options: WorkingCopyOptions;
  #git: Git;
  readonly #gitDir: string;
  /** Which files it has; empty for all. */
  readonly #part: string;
  #moves = 0;
  /** The commits on record that the grant is about. */
  #given: ReadonlySet<CommitHash> = new Set();
  #checkedOut: Checkout | undefined;
  /** The content of the workspace from the start, by an index that no command can change. */
  readonly #beginning: Checkout | undefined;
  /** The one that was read last at the end. */
  readonly #trees = new Map<CommitHash, TreeFacts>();
  /** What `git init` has written: by the file system, and so the same each time. */
  #config: { text: string; format: string } | undefined;
  /** The attributes of the last commit that has no file of LFS. */
  #withoutLfs = "";
  /** No command has been in the workspace yet, so that it is exactly the layer. */
  #isUntouched: boolean;
  readonly #submodules: Submodules;
  readonly #folders: KnownFolders;
  #objectFormat: "sha1" | "sha256" = "sha1";
  /** A view of the repository that the tool has left; made when it is first needed. */
  #view: Promise<CleanView> | undefined;

  constructor(options: WorkingCopyOptions) {
    this.#options = options;
    this.#git = {
      path: options.git.path,
      // Neither the image nor a home folder configures the cub's git.
      env: {
        ...options.git.env,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_ATTR_NOSYSTEM: "1",
      },
      limits: { processorMs: checkoutMs, ...options.limits },
      // A file where nothing is checked out would make git take it for checked out.
      settings: options.sparse === undefined ? [] : ["sparse.expectFilesOutsideOfPatterns=true"],
      onMove: () => {
        this.#moves++;
      },
    };
    this.#gitDir = join(options.workspaceDir, ".git");
    this.exchange = options.exchange;
    this.#part = options.sparse?.key ?? "";
    const layer = options.kept ?? options.layer;
    const isOwn = layer?.part === this.#part;
    this.#beginning = this.#ofPart(options.layer);
    this.#checkedOut = this.#ofPart(layer);
    this.#isUntouched = isOwn && options.isUsed !== true;
    this.#folders = new KnownFolders(options.workspaceDir);
    this.#submodules = new Submodules(
      {
        ...{ workspaceDir: options.workspaceDir, exchange: options.exchange },
        run: (run) => this.#run(run),
        copyIn: (folder, inFolder) =>
          new WorkingCopy({
            ...{ ...options, workspaceDir: folder, layer: inFolder, kept: undefined },
            ...{ sparse: undefined, prepared: undefined, keptBy: undefined },
            exchange: new SubmoduleExchange(options.exchange),
          }),
      },
      isOwn ? layer : undefined,
    );
  }

  /** A checkout of all files has those of a part, too: they need not be written again. */
  #ofPart(checkout: Checkout | undefined): Checkout | undefined {
    if (checkout === undefined || checkout.part === this.#part) return checkout;
    return checkout.part === "" ? { ...checkout, bytes: undefined } : undefined;
  }

  /** How often anything has moved in a git here: another number shows that one is at work. */
  get moves(): number {
    return this.#moves + this.#submodules.moves;
  }

  /** The size of the files, with those of submodules; 0 where nothing limits them. */
  get bytes(): number {
    return this.#ownBytes() + this.#submodules.bytes;
  }

  /** The submodules that are empty folders, because their commits are not shown. */
  get lacking(): readonly Gitlink[] {
    return this.#submodules.lacking;
  }

  /** The files of LFS that are pointers, because their content is not shown. In latin1. */
  get pointers(): readonly string[] {
    const own = this.#checkedOut?.pointers ?? [];
    return [...own.map(({ path }) => path), ...this.#submodules.pointers];
  }

  /**
   * Puts the working copy at `base`, detached, with no file but those of `base` and the ignored
   * ones that are kept, and brings the commits `given` from the exchange, where they can be had.
   * Throws git-failed, also for files that take more than they may.
   */
  async prepare(
    base: CommitHash,
    given: readonly RecordedCommit[] = [],
    options: CheckoutOptions = {},
  ): Promise<void> {
    const unlimited = this.#git;
    this.#git = { ...unlimited, signal: options.signal };
    try {
      await this.#prepare(base, given, options);
    } finally {
      this.#git = unlimited;
    }
  }

  async #prepare(
    base: CommitHash,
    given: readonly RecordedCommit[],
    options: CheckoutOptions,
  ): Promise<void> {
    const { maxBytes, signal } = options;
    this.#given = new Set(given.map(({ commit }) => commit));
    this.#view = undefined;
    const isUntouched = this.#isUntouched;
    this.#isUntouched = false;
    await requireWorkspace(this.#options.workspaceDir);
    // A tool may have left a pipe where git reads, so that nothing moves, or what costs too much.
    const repairs = this.#liesOverPrepared ? [undefined] : [undefined, mendFolder, emptyFolder];
    for (const [tries, mend] of repairs.entries()) {
      try {
        await mend?.(this.#options.workspaceDir);
        await this.#remakeRepository(base);
        await bringCommits(this.#places(), base, given);
        const layer = tries === 0 && isUntouched ? this.#checkedOut : undefined;
        // With anything else in it, it is not the layer alone.
        const alone = this.#liesOverPrepared ? undefined : layer;
        const known = alone ?? this.#large();
        const difference = await this.#differenceTo(base, known, maxBytes);
        const tree = await this.#treeOf(base, maxBytes, difference);
        const isReady = layer?.base === base && !(await this.#haveCome(layer.pointers));
        if (isReady && maxBytes !== undefined && this.#ownBytes() > maxBytes)
          throw new CommitTooLarge(base);
        if (isReady) await this.#detach(base);
        else if (alone?.submodules.length === 0 && difference !== undefined)
          await this.#goOn(alone, base, tree, options);
        else await this.#checkOut(base, tree, options);
        const links = this.#checkedOut?.submodules ?? [];
        const left = maxBytes === undefined ? {} : { maxBytes: maxBytes - this.#ownBytes() };
        await this.#submodules.fill(links, { ...options, ...left });
        await this.#addPrepared(base);
        return await this.#keep();
      } catch (error) {
        // The next one writes what differs from the layer, and not all files over it.
        this.#checkedOut ??= this.#beginning;
        const full = await this.#fullDisk(error);
        if (full !== undefined) throw full;
        const isFinal =
          error instanceof CommitMissing ||
          error instanceof CommitTooLarge ||
          error instanceof PathTooLong ||
          signal?.aborted;
        if (isFinal || tries === repairs.length - 1) throw error;
      }
    }
  }

  /**
   * Undefined for an error of another kind. What was written is given back: without room, nothing
   * goes on that has its files on this disk. Over a layer it is little, and emptied, the workspace
   * would have nothing of the layer any more.
   */
  async #fullDisk(error: unknown): Promise<SettError | undefined> {
    const { workspaceDir, layer, keepsIgnored = false } = this.#options;
    const hint =
      "Make room on the disk of the Docker Engine, or of its node in a cluster, then try again.";
    const full = await fullDiskOf(error, workspaceDir, hint);
    if (full !== undefined && layer === undefined && !keepsIgnored)
      await this.discard().catch(() => undefined);
    return full;
  }

  /**
   * Finds out what the commit has at these paths. Nothing is checked out. Throws git-failed where
   * the commit is not there.
   */
  async readKeyFiles(commit: RecordedCommit, paths: readonly string[]): Promise<KeyFiles> {
    await this.#open(commit);
    return await readKeyFiles((run) => this.#run(run), commit.commit, paths);
  }

  /** Lists the files that `takeFiles` writes, in latin1. Throws as it does. */
  async listKeyFiles(commit: RecordedCommit, paths: readonly string[]): Promise<string[]> {
    await this.#open(commit);
    return await listKeyFiles((run) => this.#run(run), commit.commit, paths);
  }

  /**
   * Writes what the commit has at these paths, and nothing else: no repository is left beside it.
   * Throws git-failed, also where it has nothing at one of them, and CommitTooLarge.
   */
  async takeFiles(
    commit: RecordedCommit,
    paths: readonly string[],
    maxBytes: number,
  ): Promise<void> {
    await this.#open(commit);
    const bytes = await sizeOfFiles((run) => this.#run(run), commit.commit, paths);
    if (bytes > maxBytes) throw new CommitTooLarge(commit.commit);
    const args = ["--literal-pathspecs", "checkout", "--quiet", commit.commit, "--", ...paths];
    await this.#run({ args });
    await removeTree(this.#gitDir);
  }

  /** A repository that has the commit, whatever files are beside it. */
  async #open(recorded: RecordedCommit): Promise<void> {
    await requireWorkspace(this.#options.workspaceDir);
    await this.#remakeRepository(recorded.commit);
    await bringCommits(this.#places(), recorded.commit, [recorded]);
  }

  /** It cannot be had again where it is removed here. */
  get #liesOverPrepared(): boolean {
    const { prepared } = this.#options;
    return prepared !== undefined && prepared.folder === undefined;
  }

  /**
   * Where it does not lie below the workspace, it is copied. It may have been made for other files
   * than these, if what the work begins with has changed since the worker was started.
   */
  async #addPrepared(base: CommitHash): Promise<void> {
    const { prepared, sparse, workspaceDir } = this.#options;
    if (prepared === undefined) return;
    const { digest } = await readKeyFiles((run) => this.#run(run), base, prepared.key);
    if (digest !== prepared.files) {
      const files = prepared.key.join(", ");
      const message = `What is prepared for this work belongs to another version of ${files}.`;
      throw new SettError("git-failed", message, { hint: "The next attempt gets its own." });
    }
    if (prepared.folder !== undefined) await copyMissing(prepared.folder, workspaceDir);
    // The command had other files of the commit than a part has.
    if (sparse !== undefined) await (await this.#tracked()).clearHidden();
  }

  /** Where it cannot be kept, the next program writes all files again. */
  async #keep(): Promise<void> {
    const { keptBy, workspaceDir } = this.#options;
    const { checkout } = this;
    if (keptBy === undefined || checkout === undefined) return;
    await keepCheckout(workspaceDir, keptBy, checkout).catch(() => undefined);
  }

  /** The last checkout with those of its submodules; undefined where none is there. */
  get checkout(): Checkout | undefined {
    const last = this.#checkedOut;
    return last && { ...last, submodules: this.#submodules.checkouts(last.submodules) };
  }

  /**
   * Leaves the files of the last checkout, without the repository, for other working copies to
   * begin with.
   */
  async leaveLayer(): Promise<Checkout> {
    const checkout = this.#checkedOut;
    if (checkout === undefined) throw new Error("Nothing was checked out.");
    this.#checkedOut = undefined;
    const submodules = await this.#submodules.leaveLayer(checkout.submodules);
    await removeTree(this.#gitDir);
    const { date, ns } = checkout.writtenAt;
    const writtenAt = { date: nextSecond(date), ns };
    return { ...checkout, writtenAt, submodules };
  }

  /** After a run that has written too much: leaves nothing but what was published. */
  async discard(): Promise<void> {
    this.#checkedOut = undefined;
    this.#submodules.discard();
    this.#view = undefined;
    await emptyFolder(this.#options.workspaceDir).finally(() => this.exchange.tidy());
  }

  /** See `CleanView`, for this and what follows. */
  async head(): Promise<CommitHash> {
    return (await this.#clean()).head();
  }

  async resolveCommit(text: string): Promise<CommitHash | undefined> {
    return (await this.#clean()).resolveCommit(text);
  }

  /** True when others have the commit: it is in the workspace, or on record. */
  async isShared(commit: CommitHash): Promise<boolean> {
    if (this.#given.has(commit)) return true;
    const { git, gitDir } = await this.#clean();
    const { objectsDir } = await this.exchange.shown();
    const env = { GIT_OBJECT_DIRECTORY: objectsDir };
    return (
      (
        await tryGit(git, {
          args: [`--git-dir=${gitDir}`, "cat-file", "-e", `${commit}^{commit}`],
          env,
        })
      ).exitCode === 0
    );
  }

  /**
   * Puts `commit` and all that it needs beyond `start`, the commit that its goal was stated on,
   * into the exchange. A repeat changes nothing. Resolves with what `judge` has against it: then
   * nothing is published. Throws git-failed when something that the commit needs is missing.
   */
  async publish<Refusal = never>(
    commit: CommitHash,
    start: CommitHash | undefined,
    judging?: Judging<Refusal>,
  ): Promise<Refusal | undefined> {
    return await this.#sayingFullDisk(() => this.#publish(commit, start, judging));
  }

  async #publish<Refusal>(
    commit: CommitHash,
    start: CommitHash | undefined,
    judging: Judging<Refusal> | undefined,
  ): Promise<Refusal | undefined> {
    const { git, gitDir } = await this.#clean();
    const { sparse, workspaceDir } = this.#options;
    if (judging === undefined) {
      await this.exchange.publish({ git, gitDir }, commit, start);
      return undefined;
    }
    const { base, judge } = judging;
    const known = [...this.#given, ...(start === undefined ? [] : [start])];
    const shown = await this.exchange.shown();
    let [refusal, lacking]: [Refusal | undefined, Pointer[]] = [undefined, []];
    const publish = async (contents: readonly string[], isFirst: boolean) => {
      const isAllowed = async (of: Origin) => {
        const reading = { of, commit, base, known, sparse, workspaceDir, shown, contents };
        const changes = new CommitChanges(reading);
        // The pack is written once more with them; few commits have any.
        lacking = isFirst ? await changes.pointersToBring(start ?? base) : [];
        if (lacking.length > 0) return false;
        refusal = await judge(changes);
        return refusal === undefined;
      };
      await this.exchange.publish({ git, gitDir }, commit, start, { base, isAllowed }, contents);
    };
    await publish([], true);
    if (lacking.length > 0) await publish(await this.#objectsWith(lacking), false);
    return refusal;
  }

  /**
   * The objects that bring contents of LFS: of files that a git-lfs of the image has left, and of
   * packs of other agents.
   */
  async #objectsWith(pointers: readonly Pointer[]): Promise<string[]> {
    const { git, gitDir } = await this.#clean();
    const { workspaceDir } = this.#options;
    const run = (each: GitRun) =>
      runGit(git, { ...each, args: [`--git-dir=${gitDir}`, ...each.args], cwd: gitDir });
    const found = await findContents(run, join(this.#gitDir, "objects"), pointers);
    const objects = found.map(({ blob }) => blob);
    for (const pointer of pointers) {
      if (found.some(({ oid }) => oid === pointer.oid)) continue;
      using content = contentLeftIn(workspaceDir, pointer);
      if (content !== undefined)
        objects.push(await addContent(run, content.fd, join(gitDir, "sett-content")));
    }
    return objects;
  }

  async #clean(): Promise<CleanView> {
    const { workspaceDir } = this.#options;
    const { depth } = await this.exchange.shown();
    this.#view ??= this.#sayingFullDisk(() =>
      CleanView.make({ git: this.#git, workspaceDir, objectFormat: this.#objectFormat, depth }),
    ).catch((error: unknown) => {
      this.#view = undefined;
      throw error;
    });
    return this.#view;
  }

  /** A full disk that this has met takes nothing of a command's work away. */
  async #sayingFullDisk<Result>(job: () => Promise<Result>): Promise<Result> {
    const hint =
      "Make room on the disk of the Docker Engine, or of its node in a cluster, then `sett retry`.";
    return await sayingFullDisk(this.#options.workspaceDir, job, hint);
  }

  /**
   * A new `.git` with the index of the last checkout, which shows the files that need not be
   * written again.
   */
  async #remakeRepository(base: CommitHash): Promise<void> {
    await removeTree(this.#gitDir);
    // The length of a hash shows the format of the objects.
    this.#objectFormat = base.length === 64 ? "sha256" : "sha1";
    await this.#initialise();
    const { objectsDir, depth } = await this.exchange.shown();
    await makeStore(join(this.#gitDir, "objects"), objectsDir);
    if (depth !== undefined) await writeFile(join(this.#gitDir, "shallow"), depth);
    const { agentName, sparse } = this.#options;
    await writeFile(join(this.#gitDir, "config"), ownConfig(agentName, sparse), { flag: "a" });
    if (sparse !== undefined)
      await writeFile(join(this.#gitDir, "info/sparse-checkout"), sparse.text);
    if (this.#checkedOut === undefined) return;
    const { index, writtenAt } = this.#checkedOut;
    const path = join(this.#gitDir, "index");
    await writeFile(path, index);
    // A layer may have been made in this very second (`nextSecond`).
    await setTimeout(Math.max(0, writtenAt.date.getTime() - Date.now()));
    // By this time git knows which files may have been changed in the same moment, and compares
    // those.
    await utimes(path, writtenAt.date, writtenAt.date);
  }

  /** As `git init` does it, which is only asked the first time. */
  async #initialise(): Promise<void> {
    const format = this.#objectFormat;
    const config = join(this.#gitDir, "config");
    if (this.#config?.format === format) {
      await mkdir(join(this.#gitDir, "refs/heads"), { recursive: true });
      await mkdir(join(this.#gitDir, "refs/tags"));
      await writeFile(config, this.#config.text);
      await writeFile(join(this.#gitDir, "HEAD"), "ref: refs/heads/main\n");
    } else {
      const options = ["--quiet", "--template=", `--object-format=${format}`];
      await this.#run({ args: ["init", ...options, "--initial-branch=main"] });
      this.#config = { text: await readFile(config, "utf8"), format };
    }
    await mkdir(join(this.#gitDir, "info"), { recursive: true });
  }

  /** It is read once for each commit, unless it is known already. Throws CommitTooLarge. */
  async #treeOf(
    base: CommitHash,
    maxBytes: number | undefined,
    plain: TreeFacts | undefined,
  ): Promise<TreeFacts> {
    const { sparse } = this.#options;
    const of = (run: GitRun) => this.#inRepository(run);
    const tooLong: string[] = [];
    const onPath = (path: string) => {
      if (tooLong.length === 0) tooLong.push(path);
    };
    const long = { bytes: this.#maxPath, onPath };
    const tree =
      plain ??
      this.#knownTree(base, maxBytes) ??
      (await readTree({ git: this.#git, of, commit: base, maxBytes, sparse, long }));
    if (tooLong[0] !== undefined) throw new PathTooLong(base, tooLong[0]);
    if (tree === undefined || (maxBytes !== undefined && (tree.bytes ?? 0) > maxBytes))
      throw new CommitTooLarge(base);
    const { folders, attributes, bytes } = tree;
    const facts = { folders, attributes, bytes };
    this.#trees.delete(base);
    this.#trees.set(base, facts);
    const [oldest] = this.#trees.keys();
    if (oldest !== undefined && this.#trees.size > maxKnownTrees) this.#trees.delete(oldest);
    return facts;
  }

  /** The most bytes of a path in it, with room for what is looked for in its folders. */
  get #maxPath(): number {
    return pathBytes - Buffer.byteLength(`${this.#options.workspaceDir}/.gitattributes`);
  }

  #knownTree(base: CommitHash, maxBytes: number | undefined): TreeFacts | undefined {
    const last = this.#checkedOut;
    const known = last?.base === base ? last : this.#trees.get(base);
    return maxBytes === undefined || known?.bytes !== undefined ? known : undefined;
  }

  /** The last checkout, where what differs from it costs less to list than all of a commit. */
  #large(): Checkout | undefined {
    const last = this.#checkedOut;
    return last !== undefined && last.folders.length >= minListed ? last : undefined;
  }

  /**
   * The tree of `base`, by what differs from a checkout. Undefined where that is not known, or more
   * differs than files: then it is not gone to by the difference.
   */
  async #differenceTo(
    base: CommitHash,
    known: Checkout | undefined,
    maxBytes: number | undefined,
  ): Promise<TreeFacts | undefined> {
    if (known === undefined || known.base === base || this.#options.sparse !== undefined)
      return undefined;
    if (maxBytes !== undefined && !known.bytes) return undefined;
    if (this.#trees.has(base)) return undefined;
    const of = (run: GitRun) => this.#inRepository(run);
    const difference = await differenceOf(this.#git, [known.base, base], of);
    if (!difference?.isPlain) return undefined;
    const folders = known.folders.filter((folder) => !difference.gone.has(folder));
    return {
      folders: [...folders, ...difference.added],
      attributes: known.attributes,
      bytes: known.bytes && known.bytes + difference.bytes,
    };
  }

  /**
   * From the layer, which no command has touched, to another commit: git looks at no file that is
   * the same in both, and nothing is there that it does not track.
   */
  async #goOn(
    layer: Checkout,
    base: CommitHash,
    tree: TreeFacts,
    { maxBytes, onProgress }: CheckoutOptions,
  ): Promise<void> {
    this.#checkedOut = undefined;
    await this.#run({
      args: ["read-tree", "--reset", "-u", "-v", layer.base, base],
      onProgress: ({ done: written, of }) => onProgress?.({ files: written, of }),
    });
    await this.#detach(base);
    const checkout = { ...tree, base, part: this.#part, hidden: [], submodules: [] };
    await this.#noteCheckout(checkout, maxBytes);
  }

  /** The files and the index are those of `base` already. */
  async #detach(base: CommitHash): Promise<void> {
    const message = `checkout: moving from main to ${base}`;
    await this.#run({ args: ["update-ref", "--no-deref", "-m", message, "HEAD", base] });
  }

  async #checkOut(
    base: CommitHash,
    tree: TreeFacts,
    { maxBytes, onProgress }: CheckoutOptions,
  ): Promise<void> {
    const { workspaceDir, keepsIgnored = false } = this.#options;
    const before = this.#checkedOut;
    this.#checkedOut = undefined;
    const { ctimeNs: beganNs } = await stat(join(this.#gitDir, "config"), { bigint: true });
    const isEmptied = before === undefined && !keepsIgnored && !this.#liesOverPrepared;
    const removing = isEmptied ? (await this.#leaveBehind(maxBytes))() : undefined;
    removing?.catch(() => undefined);
    try {
      const folders = new Set([...(before?.folders ?? []), ...tree.folders]);
      const changed = await this.#folders.changed(folders);
      await clearFolders(workspaceDir, changed, keepsIgnored || this.#liesOverPrepared);
      await this.#submodules.leave(base);
      if (before !== undefined) {
        if (!this.#liesOverPrepared) await clearHidden(workspaceDir, before.hidden);
        await this.#removeConverted(before, tree.attributes);
      }
      // Before the checkout as well, which goes by attributes that an untracked file names.
      if (!this.#liesOverPrepared && !isEmptied) await this.#clear(before, changed);
      await this.#run({
        args: ["checkout", "--quiet", "--progress", "--force", "--detach", base, "--"],
        onProgress: ({ done: written, of }) => onProgress?.({ files: written, of }),
      });
      // The commit before may have ignored other files.
      if (keepsIgnored) await this.#clear();
    } finally {
      await removing;
    }
    const tracked = await this.#tracked();
    const hidden = this.#options.sparse === undefined ? [] : tracked.hidden();
    const isPart = before === undefined || before.part === this.#part;
    if (!this.#liesOverPrepared && (keepsIgnored || !isPart))
      await clearHidden(workspaceDir, hidden);
    // Git has noted when they were last changed.
    if (await tracked.resetModes(before?.writtenAt.ns))
      await this.#run({ args: ["update-index", "-q", "--refresh"] });
    const holdsOthers = keepsIgnored || this.#liesOverPrepared;
    await this.#folders.settle(tree.folders, holdsOthers ? 0n : beganNs);
    // The others are large more often than of use, and which of them a sparse checkout has depends
    // on what was checked out before.
    const { sparse } = this.#options;
    const isNamed = ({ path }: Gitlink) => sparse?.names(path) ?? true;
    const submodules = tracked.submodules().filter(isNamed);
    const others = tracked.submodules().filter((link) => !isNamed(link));
    await this.#submodules.empty(others);
    const checkout = { ...tree, base, part: this.#part, hidden, submodules };
    await this.#noteCheckout(checkout, maxBytes);
  }

  /** When the files are those of the commit, but for pointers of LFS in the place of contents. */
  async #noteCheckout(
    checkout: Omit<Checkout, "index" | "writtenAt" | "pointers" | "contentBytes">,
    maxBytes: number | undefined,
  ): Promise<void> {
    const { base, attributes, bytes = 0 } = checkout;
    const path = join(this.#gitDir, "index");
    const left = maxBytes === undefined ? undefined : maxBytes - bytes;
    const hasLfs = await this.#mayHaveLfs(base, attributes);
    const contents = hasLfs ? await this.#smudge(base, path, left) : undefined;
    const { mtime: date, ctimeNs: ns } = await stat(path, { bigint: true });
    this.#checkedOut = {
      ...{ ...checkout, index: await readFile(path), writtenAt: { date, ns } },
      contentBytes: contents?.bytes ?? 0,
      pointers: contents?.lacking ?? [],
    };
  }

  /** False where no attribute names LFS, which is looked for once. */
  async #mayHaveLfs(base: CommitHash, attributes: string): Promise<boolean> {
    if (attributes === this.#withoutLfs) return false;
    const isNamed = await namesLfs((each) => tryGit(this.#git, this.#inRepository(each)), base);
    if (!isNamed) this.#withoutLfs = attributes;
    return isNamed;
  }

  /** Puts contents of LFS in the place of their pointers. Throws CommitTooLarge. */
  async #smudge(base: CommitHash, path: string, maxBytes: number | undefined) {
    const { lfsDir } = await this.exchange.shown();
    const shown = await this.#smudgeFrom(lfsDir, base, path, maxBytes);
    if (shown.lacking.length === 0) return shown;
    // The packs of other agents bring what the host has not fetched yet.
    const run = (each: GitRun) => this.#run(each);
    const found = await findContents(run, join(this.#gitDir, "objects"), shown.lacking);
    if (found.length === 0) return shown;
    if (maxBytes !== undefined && bytesOfContents(found) > maxBytes) throw new CommitTooLarge(base);
    const own = join(this.#gitDir, "lfs/objects");
    for (const each of found) await writeContent(run, each, own);
    return await this.#smudgeFrom(own, base, path, maxBytes);
  }

  async #smudgeFrom(
    objectsDir: string | undefined,
    base: CommitHash,
    path: string,
    maxBytes: number | undefined,
  ) {
    const smudged = await smudge({
      workspaceDir: this.#options.workspaceDir,
      run: (each) => this.#run(each),
      index: await readFile(path),
      hashBytes: this.#hashBytes,
      ...{ objectsDir, maxBytes },
    });
    if (smudged === undefined) throw new CommitTooLarge(base);
    const { index, latestNs } = smudged;
    while (index !== undefined) {
      await writeFile(path, index);
      if ((await stat(path, { bigint: true })).ctimeNs > latestNs) break;
      // A file system notes times in steps of some milliseconds.
      await setTimeout(1);
    }
    return smudged;
  }

  /** Contents of LFS may have come since a layer was made. */
  async #haveCome(pointers: readonly Pointer[]): Promise<boolean> {
    const { lfsDir } = await this.exchange.shown();
    if (lfsDir === undefined) return false;
    const found = await Promise.all(pointers.map((each) => contentOf(lfsDir, each)));
    return found.some((each) => each !== undefined);
  }

  #ownBytes(): number {
    return (this.#checkedOut?.bytes ?? 0) + (this.#checkedOut?.contentBytes ?? 0);
  }

  /**
   * Git takes a file for unchanged when its content would be the same in a commit. With attributes,
   * other bytes can have the same content: a tool may have written them, and other attributes make
   * other files of it.
   */
  async #removeConverted(before: Checkout, attributes: string): Promise<void> {
    const isSame = before.attributes === attributes;
    if (isSame && attributes === "") return;
    await (await this.#tracked()).remove(isSame ? before.writtenAt.ns : undefined);
  }

  async #tracked(): Promise<TrackedFiles> {
    const index = await readFile(join(this.#gitDir, "index"));
    return new TrackedFiles(this.#options.workspaceDir, index, this.#hashBytes);
  }

  get #hashBytes(): HashBytes {
    return this.#objectFormat === "sha1" ? 20 : 32;
  }

  /**
   * Without a record of what is there all goes: out of the way at once. Resolves with what removes
   * it, while git writes the new files.
   */
  async #leaveBehind(maxBytes: number | undefined): Promise<() => Promise<void>> {
    const remove = await putAway(this.#options.workspaceDir, join(this.#gitDir, "sett-gone"));
    if (maxBytes === undefined) return remove;
    // What is still there would count against the limit.
    await remove();
    return async () => {};
  }

  /**
   * Removes what git does not track: where little has changed without git, which looks into each
   * folder. Git only warns of one in which it cannot look.
   */
  async #clear(before?: Checkout, changed: readonly string[] = []): Promise<void> {
    const { workspaceDir } = this.#options;
    if (before !== undefined && !this.#options.keepsIgnored && changed.length <= maxListed) {
      const { index } = before;
      const folders = new Set(["", ...changed]);
      return await clearUntracked({ workspaceDir, index, hashBytes: this.#hashBytes, folders });
    }
    // Forced twice, so that a repository that the tool made inside is removed as well.
    const args = [
      "clean",
      "-d",
      "--force",
      "--force",
      "--quiet",
      ...(this.#options.keepsIgnored ? [] : ["-x"]),
    ];
    const run = this.#inRepository({ args });
    const limits = { ...this.#git.limits, processorMs: leftoversMs, ...this.#options.limits };
    const result = await tryGit({ ...this.#git, limits }, run);
    if (result.exitCode !== 0 || result.stderr.includes("could not open directory"))
      throw gitFailure(run, result);
  }

  #places(): Places {
    const run = (each: GitRun) => this.#run(each);
    return { git: this.#git, gitDir: this.#gitDir, exchange: this.exchange, run };
  }

  async #run(run: GitRun): Promise<string> {
    return await runGit(this.#git, this.#inRepository(run));
  }

  #inRepository(run: GitRun): GitRun {
    const { workspaceDir: cwd } = this.#options;
    return { ...run, args: [`--git-dir=${this.#gitDir}`, `--work-tree=${cwd}`, ...run.args], cwd };
  }
}

/**
 * The date of a layer's index. Git reads each file that was written in the second of its index, or
 * later, because it may have been changed since: one of 3 GB in every `git status` of every agent.
 * No command has been in a layer, and none comes before that date.
 */
function nextSecond(date: Date): Date {
  return new Date((Math.floor(date.getTime() / 1_000) + 1) * 1_000);
}

/** Makes the folder, or opens one that a tool has closed. Throws git-failed. */
async function requireWorkspace(workspaceDir: string): Promise<void> {
  try {
    await mkdir(workspaceDir, { recursive: true });
    const isOpen = access(workspaceDir, constants.R_OK | constants.W_OK | constants.X_OK);
    await isOpen.catch(() => chmod(workspaceDir, 0o755));
  } catch (cause) {
    const why = { hint: "The agent's user must own that folder.", cause };
    throw new SettError("git-failed", `No working copy can be made in ${workspaceDir}.`, why);
  }
}
