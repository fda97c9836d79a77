// Adds up what the files of a commit take when they are checked out, which may be thousands of
// times the size of the commit itself.
import { type Git, type GitRun, tryGit } from "../run/run-git.ts";

/** Cost of a file or folder as such, however small its content is. */
export const minBytesEach = 4096;
const sizeOf = /^\d+ \w+ [0-9a-f]+ +(\d+)\t/;

/** `size`: of its content; what is no number is not known. */
export function bytesOfSize(size: number): number {
  return Number.isNaN(size) ? minBytesEach : Math.max(minBytesEach, size);
}

/**
 * In bytes; infinite when they take more than `maxBytes`: git is ended as soon as this is known,
 * because a small commit may have billions of files. What cannot be read is not counted: the
 * checkout says what is wrong. `of`: what makes a run one of the repository.
 */
export async function sizeOfTree(
  git: Git,
  commit: string,
  maxBytes: number,
  of: (run: GitRun) => GitRun,
): Promise<number> {
  const over = new AbortController();
  let bytes = 0;
  let rest = "";
  const onStdout = (chunk: Uint8Array) => {
    if (over.signal.aborted) return;
    const text = rest + Buffer.from(chunk).toString("latin1");
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    for (const line of text.slice(0, end).split("\n")) {
      if (line !== "") bytes += bytesOfSize(Number(sizeOf.exec(line)?.[1] ?? 0));
    }
    if (bytes > maxBytes) over.abort();
  };
  const signal =
    git.signal === undefined ? over.signal : AbortSignal.any([git.signal, over.signal]);
  await tryGit(
    { ...git, signal },
    of({ args: ["ls-tree", "-r", "-t", "--long", "--full-tree", commit], onStdout }),
  );
  return over.signal.aborted ? Number.POSITIVE_INFINITY : bytes;
}
