// Which packs were taken from agents, and whether a commit was in what the agent itself has
// written.
//
// A pack may have an object as the difference to another one, with which git completes the pack out
// of the repository. So an agent that knows no more of a commit than its hash can have it in a
// pack: as the object that it differs from, or as no difference to it.
import type { CommitHash } from "../../model/ids.ts";
import { type Git, runGit } from "../run/run-git.ts";
import type { UntrustedFile } from "../run/untrusted-folder.ts";

/**
 * `index`: its path. `ends`: the position after the objects of the agent's file, where git has
 * appended what completes it.
 */
type TakenPack = { index: string; ends: number };

export class TakenPacks {
  /** By the identity of the file: several commits may have one. */
  readonly #packs = new Map<string, TakenPack>();
  readonly #names = new Map<CommitHash, TakenPack>();

  /** Whether the file was taken before; the commit has it, too, from now on. */
  has(commit: CommitHash, { identity }: UntrustedFile): boolean {
    const pack = this.#packs.get(identity);
    if (pack !== undefined) this.#names.set(commit, pack);
    return pack !== undefined;
  }

  add(commit: CommitHash, { identity, size }: UntrustedFile, index: string): void {
    // A pack ends with a checksum, which is as long as the hash of a commit.
    const pack = { index, ends: size - commit.length / 2 };
    this.#packs.set(identity, pack);
    this.#names.set(commit, pack);
  }

  /** Whether the file that an agent has left under the commit's name has all of the commit. */
  async hold(git: Git, commit: CommitHash): Promise<boolean> {
    const pack = this.#names.get(commit);
    if (pack === undefined) return false;
    const format = commit.length === 40 ? "sha1" : "sha256";
    const args = ["verify-pack", "-v", `--object-format=${format}`, pack.index];
    const listed = await runGit(git, { args }).catch(() => "");
    const objects = new Map(
      listed.split("\n").map((line) => [line.slice(0, commit.length), line.split(/ +/)]),
    );
    // Hash, type, size, size in the pack, position; of a difference also its depth and what it
    // differs from.
    for (let hash: string | undefined = commit; hash !== undefined; ) {
      const object: string[] | undefined = objects.get(hash);
      if (object === undefined || !(Number(object[4]) < pack.ends)) return false;
      hash = object[6];
    }
    return true;
  }
}
