// A private object store between the exchange and the repository: the packs of agents are unpacked there, and checked.
import { closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../model/errors.ts";
import type { CommitHash } from "../model/ids.ts";
import { findPacks, inIndex } from "./find-packs.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import type { FolderOfAgents } from "./folder-of-agents.ts";
import { type Git, runGit } from "./run-git.ts";

/** As much as the largest hosts accept at once. */
const maxPackBytes = 2 * 1024 * 1024 * 1024;

interface PackFindings {
  readonly found: ReadonlySet<CommitHash>;
  readonly problems: ReadonlyMap<CommitHash, string>;
}

export class Quarantine implements AsyncDisposable {
  /** An object store that only git has written to. */
  readonly objectsDir: string;
  readonly #git: Git;
  readonly #place: RepositoryPlace;

  private constructor(git: Git, place: RepositoryPlace, objectsDir: string) {
    this.#git = git;
    this.#place = place;
    this.objectsDir = objectsDir;
  }

  static async make(git: Git, place: RepositoryPlace): Promise<Quarantine> {
    // Named as git names its own: git's next clean-up removes one that a crash has left behind.
    const objectsDir = await mkdtemp(join(place.objectsDir, "tmp_objdir-sett-"));
    await mkdir(join(objectsDir, "pack"));
    return new Quarantine(git, place, objectsDir);
  }

  /**
   * Copies the packs that hold these commits into the quarantine. `problems`: why a commit could not be read, where more is known than that
   * no pack has it. Packs are read as data, from the open file: git never reads the exchange.
   */
  async addPacks(packs: FolderOfAgents, commits: readonly CommitHash[]): Promise<PackFindings> {
    const problems = new Map<CommitHash, string>();
    const candidates = findPacks(packs, new Set(commits));
    const found = new Set<CommitHash>();
    for (const commit of commits) {
      for (const pack of candidates.get(commit) ?? []) {
        if (found.has(commit)) break;
        try {
          for (const each of await this.#addPack(packs, pack, new Set(commits))) found.add(each);
        } catch (error) {
          problems.set(commit, messageOf(error));
        }
      }
      if (found.has(commit)) problems.delete(commit);
    }
    return { found, problems };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.objectsDir, { recursive: true, force: true });
  }

  /** Returns those of the commits that the pack holds. A pack that holds none is removed again. */
  async #addPack(packs: FolderOfAgents, name: string, commits: ReadonlySet<CommitHash>): Promise<CommitHash[]> {
    using pack = packs.file(`${name}.pack`, maxPackBytes);
    if (pack === undefined) return [];
    const indexed = await runGit(this.#git, {
      args: [
        `--git-dir=${this.#place.gitDir}`,
        "index-pack",
        "--stdin",
        "--fix-thin",
        strict,
        `--max-input-size=${maxPackBytes}`,
      ],
      stdinFile: pack.fd,
      env: this.#store,
    });
    const own = join(this.objectsDir, "pack", `pack-${indexed.trim().split("\t").at(-1)}`);
    const index = openSync(`${own}.idx`, "r");
    const found = inIndex(index, commits);
    closeSync(index);
    if (found.length === 0) for (const extension of ["pack", "idx", "rev"]) await rm(`${own}.${extension}`, { force: true });
    return found;
  }

  get #store(): Record<string, string> {
    return { GIT_OBJECT_DIRECTORY: this.objectsDir, GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(this.#place.objectsDir) };
  }
}

/** Every object is checked, except for padded file modes, which old programs have left in many histories. */
const strict = "--strict=zeroPaddedFilemode=ignore";

/** For a list of paths, where a colon would end a path. */
export function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&")}"`;
}
