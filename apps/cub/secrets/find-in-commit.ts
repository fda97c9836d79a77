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
  workingCopy: Pick<WorkingCopy, "readAdded" | "readCommits">,
  { commit, base }: Commits,
): Promise<string | undefined> {
  let found: string | undefined;
  const find = (part: Uint8Array) => {
    found ??= masker.find(part);
  };
  const commits = new Parts(find);
  await workingCopy.readCommits(commit, base, (chunk) => commits.add(chunk));
  commits.end();
  const lines = new AddedLines(new Parts(find));
  await workingCopy.readAdded(commit, base, (chunk) => lines.add(chunk));
  lines.end();
  return found;
}

/** Passes bytes on in parts that overlap. */
class Parts {
  readonly #onPart: (part: Uint8Array) => void;
  #part: Uint8Array[] = [];
  #bytes = 0;

  constructor(onPart: (part: Uint8Array) => void) {
    this.#onPart = onPart;
  }

  add(chunk: Uint8Array): void {
    this.#part.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= partBytes) this.end();
  }

  end(): void {
    const part = Buffer.concat(this.#part);
    this.#onPart(part);
    this.#part = [part.subarray(-overlapBytes)];
    this.#bytes = 0;
  }
}

/** Takes a patch apart: passes on the lines that were added, without what marks them. */
class AddedLines {
  readonly #parts: Parts;
  #line: Uint8Array[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
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
    this.#parts.end();
  }

  #endLine(rest: Uint8Array): void {
    const line = this.#line.length === 0 ? rest : Buffer.concat([...this.#line, rest]);
    this.#line = [];
    const [first, second] = [line[0], line[1]].map((byte) => String.fromCharCode(byte ?? 0));
    // Of a merge each line has a mark for each parent.
    if (first === "-" || (first === " " && second === "-")) return;
    this.#parts.add(first === "+" ? line.subarray(1) : line);
  }
}
