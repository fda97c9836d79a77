// The submodules of a working copy. Each whose commit is shown is a working copy of its own inside
// of the other; the folders of all others are empty.
import { lstatSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { type Path, pathIn, pathOfBytes } from "../../folders/folder-entries.ts";
import { emptyFolder, removeTree } from "../../folders/remove-tree.ts";
import type { CommitHash } from "../../model/ids.ts";
import type { AgentExchange } from "../exchange/port.ts";
import { textOf } from "../run/file-name.ts";
import type { Gitlink } from "../run/find-submodules.ts";
import type { GitRun } from "../run/run-git.ts";
import type { Checkout, SubmoduleCheckout } from "./layer.ts";
import { type CheckoutOptions, CommitMissing } from "./unusable-commit.ts";

/** The part of a `WorkingCopy` that one around it needs. */
export interface SubmoduleCopy {
  readonly lacking: readonly Gitlink[];
  readonly pointers: readonly string[];
  readonly moves: number;
  /** The size of its files, with those of its submodules. */
  readonly bytes: number;
  readonly checkout: Checkout | undefined;
  prepare(commit: CommitHash, given: readonly [], options: CheckoutOptions): Promise<void>;
  leaveLayer(): Promise<Checkout>;
}

interface Surroundings {
  readonly workspaceDir: string;
  readonly exchange: Pick<AgentExchange, "shown">;
  /** Runs git in the repository around the submodules. */
  readonly run: (run: GitRun) => Promise<string>;
  /** `layer`: the checkout that is in the folder already. */
  readonly copyIn: (folder: string, layer: Checkout | undefined) => SubmoduleCopy;
}

/** A commit that has more, in all of its levels, means to cost time. */
export const maxSubmodules = 1_000;

export class Submodules {
  readonly #around: Surroundings;
  /** By their folders, in latin1. */
  readonly #copies = new Map<string, SubmoduleCopy>();
  #lacking: readonly Gitlink[] = [];
  #movesBefore = 0;

  constructor(around: Surroundings, layer: Checkout | undefined) {
    this.#around = around;
    for (const { path, checkout } of layer?.submodules ?? [])
      if (checkout !== undefined) this.#copies.set(path, this.#copyAt(path, checkout));
  }

  /** The submodules that are empty folders, with theirs. Paths from the top, in latin1. */
  get lacking(): readonly Gitlink[] {
    return this.#lacking;
  }

  /** The files of LFS in them that are pointers. Paths from the top, in latin1. */
  get pointers(): readonly string[] {
    return [...this.#copies].flatMap(([path, copy]) =>
      copy.pointers.map((each) => `${path}/${each}`),
    );
  }

  get moves(): number {
    return [...this.#copies.values()].reduce((sum, copy) => sum + copy.moves, this.#movesBefore);
  }

  get bytes(): number {
    return [...this.#copies.values()].reduce((sum, copy) => sum + copy.bytes, 0);
  }

  /**
   * Before the checkout of `base`, when what is in the place of tracked folders is gone: git would
   * read the repositories of a command, and leave the files of what is no submodule any more.
   */
  async leave(base: CommitHash): Promise<void> {
    const paths = [...this.#copies.keys()];
    if (paths.length === 0) return;
    const listing = ["--literal-pathspecs", "ls-tree", "-z", "--full-tree", base, "--", ...paths];
    const listed = await this.#around.run({ args: listing, encoding: "latin1" });
    const links = new Set(listed.split("\0").flatMap((entry) => linkIn(entry) ?? []));
    for (const path of paths) {
      const folder = this.#pathOf(path);
      const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
      if (!isFolder || !links.has(path)) await removeTree(folder);
      else await removeTree(pathIn(folder, ".git"));
      if (!links.has(path)) this.#forget(path);
    }
  }

  /**
   * After a checkout: puts each of `links` at its commit, or empties its folder. `maxBytes` of the
   * options: what they may take together. Throws git-failed.
   */
  async fill(links: readonly Gitlink[], options: CheckoutOptions): Promise<void> {
    const { submodules } = await this.#around.exchange.shown();
    const shown = await commitsIn(this.#around.run, submodules?.objectsDir, links);
    const budget = options.submodules ?? { left: maxSubmodules };
    const lacking: Gitlink[] = [];
    const filled: string[] = [];
    let bytes = 0;
    for (const link of links) {
      const maxBytes = options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes - bytes };
      const within = { ...options, ...maxBytes, submodules: budget };
      const isMeant = shown.has(link.commit) && budget.left-- > 0;
      const copy = isMeant ? await this.#fillOne(link, within) : undefined;
      if (copy !== undefined) {
        filled.push(link.path);
        bytes += copy.bytes;
        for (const each of copy.lacking)
          lacking.push({ ...each, path: `${link.path}/${each.path}` });
        continue;
      }
      await this.empty([link]);
      lacking.push(link);
    }
    this.#lacking = lacking;
    const config = join(this.#around.workspaceDir, ".git/config");
    if (filled.length > 0) await appendFile(config, filled.map(activeLine).join(""), "latin1");
  }

  /** Leaves nothing in the folders. */
  async empty(links: readonly Gitlink[]): Promise<void> {
    for (const { path } of links) {
      this.#forget(path);
      await emptyFolder(this.#pathOf(path));
    }
  }

  /** `links`, each with what is in its folder. */
  checkouts(links: readonly Gitlink[]): SubmoduleCheckout[] {
    return links.map(({ path, commit }) => {
      const checkout = this.#copies.get(path)?.checkout;
      return { path, commit, ...(checkout && { checkout }) };
    });
  }

  /** Leaves what is in their folders, without their repositories. */
  async leaveLayer(links: readonly Gitlink[]): Promise<SubmoduleCheckout[]> {
    const left: SubmoduleCheckout[] = [];
    for (const link of links) {
      const copy = this.#copies.get(link.path);
      left.push(copy === undefined ? link : { ...link, checkout: await copy.leaveLayer() });
    }
    this.discard();
    return left;
  }

  /** Their folders are gone. */
  discard(): void {
    for (const path of [...this.#copies.keys()]) this.#forget(path);
    this.#lacking = [];
  }

  /** Undefined where it cannot be filled. */
  async #fillOne(
    { path, commit }: Gitlink,
    options: CheckoutOptions,
  ): Promise<SubmoduleCopy | undefined> {
    // A working copy has a text for its path.
    if (textOf(path) === undefined) return undefined;
    const copy = this.#copies.get(path) ?? this.#copyAt(path, undefined);
    this.#copies.set(path, copy);
    try {
      await copy.prepare(commit, [], options);
      return copy;
    } catch (error) {
      if (error instanceof CommitMissing) return undefined;
      throw error;
    }
  }

  #copyAt(path: string, layer: Checkout | undefined): SubmoduleCopy {
    return this.#around.copyIn(join(this.#around.workspaceDir, textOf(path) ?? ""), layer);
  }

  #forget(path: string): void {
    this.#movesBefore += this.#copies.get(path)?.moves ?? 0;
    this.#copies.delete(path);
  }

  #pathOf(path: string): Path {
    return pathOfBytes(this.#around.workspaceDir, path);
  }
}

/** The commits of `links` that are in a store. */
export async function commitsIn(
  run: (run: GitRun) => Promise<string>,
  objectsDir: string | undefined,
  links: readonly Gitlink[],
): Promise<ReadonlySet<CommitHash>> {
  if (objectsDir === undefined || links.length === 0) return new Set();
  const stdin = links.map(({ commit }) => `${commit}\n`).join("");
  const env = { GIT_OBJECT_DIRECTORY: objectsDir, GIT_ALTERNATE_OBJECT_DIRECTORIES: "" };
  const args = ["cat-file", "--batch-check=%(objecttype)"];
  const types = (await run({ args, stdin, env })).split("\n");
  return new Set(links.flatMap(({ commit }, at) => (types[at] === "commit" ? [commit] : [])));
}

/** The folder, where an entry of `ls-tree` or of `ls-files --stage` is a link. */
function linkIn(entry: string): string | undefined {
  return /^160000 [^\t]*\t(.*)$/s.exec(entry)?.[1];
}

/** By it git's own commands know that the submodule is there. */
function activeLine(path: string): string {
  const value = `:(top,literal)${path}`.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
  return `[submodule]\n\tactive = "${value}"\n`;
}
