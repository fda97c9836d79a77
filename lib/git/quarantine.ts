// A private object store between the exchange and the repository: what agents have packed is unpacked there, and checked.
import { closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../model/errors.ts";
import type { CommitHash } from "../model/ids.ts";
import { findPacks, inIndex } from "./find-packs.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import type { FolderOfAgents } from "./folder-of-agents.ts";
import { type Git, runGit } from "./run-git.ts";

/** What the largest hosts take at once. */
const maxPackBytes = 2 * 1024 * 1024 * 1024;

interface Taken {
  readonly held: ReadonlySet<CommitHash>;
  readonly problems: ReadonlyMap<CommitHash, string>;
}

export class Quarantine implements AsyncDisposable {
  /** An object store that nobody but git has written to. */
  readonly objectsDir: string;
  readonly #git: Git;
  readonly #place: RepositoryPlace;

  private constructor(git: Git, place: RepositoryPlace, objectsDir: string) {
    this.#git = git;
    this.#place = place;
    this.objectsDir = objectsDir;
  }

  static async make(git: Git, place: RepositoryPlace): Promise<Quarantine> {
    // Named as git names its own: one that is left behind by a crash goes with the next clean-up.
    const objectsDir = await mkdtemp(join(place.objectsDir, "tmp_objdir-sett-"));
    await mkdir(join(objectsDir, "pack"));
    return new Quarantine(git, place, objectsDir);
  }

  /**
   * Takes in the packs that hold these commits. `problems`: why one was not got, where there is more to say than that no pack has
   * it. Packs are read as data, from the open file: git never looks into the exchange.
   */
  async take(packs: FolderOfAgents, commits: readonly CommitHash[]): Promise<Taken> {
    const problems = new Map<CommitHash, string>();
    const candidates = findPacks(packs, new Set(commits));
    const held = new Set<CommitHash>();
    for (const commit of commits) {
      for (const pack of candidates.get(commit) ?? []) {
        if (held.has(commit)) break;
        try {
          for (const each of await this.#takePack(packs, pack, new Set(commits))) held.add(each);
        } catch (error) {
          problems.set(commit, messageOf(error));
        }
      }
      if (held.has(commit)) problems.delete(commit);
    }
    return { held, problems };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.objectsDir, { recursive: true, force: true });
  }

  /** Those of the commits that it does hold. One that holds none is not kept. */
  async #takePack(packs: FolderOfAgents, name: string, commits: ReadonlySet<CommitHash>): Promise<CommitHash[]> {
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

/** Every object is checked, but for an old writer's way with modes, which histories are full of and no agent's git has. */
const strict = "--strict=zeroPaddedFilemode=ignore";

/** For a list of paths, in which a colon would end one. */
export function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&")}"`;
}
