// Looks for the values of secrets in what a command has committed, before it is published: a commit is never removed again.
import { Buffer } from "node:buffer";
import type { WorkingCopy } from "../../../lib/git/working-copy.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import type { Masker } from "./masker.ts";

const partBytes = 1024 * 1024;
/** Of one part with the next one: longer than any piece of a value in any encoding. */
const overlapBytes = 4096;

const newline = 10;

type Commits = { commit: CommitHash; base: CommitHash };

/** The name of a secret that the commits from `base` to `commit` contain, if only for a time. Throws git-failed. */
export async function findInCommits(
  masker: Masker,
  workingCopy: Pick<WorkingCopy, "readAdded">,
  { commit, base }: Commits,
): Promise<string | undefined> {
  let found: string | undefined;
  const search = new AddedLines((lines) => {
    found ??= masker.find(lines);
  });
  await workingCopy.readAdded(commit, base, (chunk) => search.add(chunk));
  search.end();
  return found;
}

/** Takes a patch apart: passes on the lines that were added, without what marks them, in parts that overlap. */
class AddedLines {
  readonly #onPart: (lines: Uint8Array) => void;
  #line: Uint8Array[] = [];
  #part: Uint8Array[] = [];
  #partBytes = 0;

  constructor(onPart: (lines: Uint8Array) => void) {
    this.#onPart = onPart;
  }

  add(chunk: Uint8Array): void {
    let from = 0;
    for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
      this.#endLine(chunk.subarray(from, to + 1));
      from = to + 1;
    }
    if (from < chunk.length) this.#line.push(chunk.subarray(from));
  }

  end(): void {
    this.#endLine(new Uint8Array());
    this.#endPart();
  }

  #endLine(rest: Uint8Array): void {
    const line = this.#line.length === 0 ? rest : Buffer.concat([...this.#line, rest]);
    this.#line = [];
    const [first, second] = [line[0], line[1]].map((byte) => String.fromCharCode(byte ?? 0));
    // Of a merge each line has a mark for each parent.
    if (first === "-" || (first === " " && second === "-")) return;
    const added = first === "+" ? line.subarray(1) : line;
    this.#part.push(added);
    this.#partBytes += added.length;
    if (this.#partBytes >= partBytes) this.#endPart();
  }

  #endPart(): void {
    const part = Buffer.concat(this.#part);
    this.#onPart(part);
    this.#part = [part.subarray(-overlapBytes)];
    this.#partBytes = 0;
  }
}
