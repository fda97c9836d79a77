// Finds what is new in a log that is read again after a break. The lines of a log have no numbers:
// the last ones that are known show the place.
import { sleep } from "../../async/sleep.ts";

/** This many are compared, so that a line that comes often is not taken for another one. */
export const comparedLines = 20;
/** Lines of the past come at once: a log that is silent for so long has no more of them. */
const silenceMs = 1_000;

/**
 * `seen`: the last lines that are known. `past`: how many old lines the log begins with, at most.
 * All are new when none fits.
 */
export async function* unseenLines(
  lines: AsyncIterable<string>,
  { seen, past }: { seen: readonly string[]; past: number },
  silence = silenceMs,
): AsyncGenerator<string> {
  const iterator = lines[Symbol.asyncIterator]();
  const looked: string[] = [];
  const over = new AbortController();
  let next = iterator.next();
  try {
    while (looked.length < past && !endsWith(looked, seen)) {
      const result = await Promise.race([next, sleep(silence, over.signal)]);
      if (result === undefined) break;
      next = result.done ? Promise.resolve(result) : iterator.next();
      if (result.done) break;
      looked.push(result.value);
    }
    if (!endsWith(looked, seen)) yield* looked;
    for (let result = await next; !result.done; result = await iterator.next()) yield result.value;
  } finally {
    over.abort();
    next.catch(() => undefined);
    // Not awaited: it waits for the line that may never come.
    iterator.return?.()?.catch(() => undefined);
  }
}

function endsWith(lines: readonly string[], end: readonly string[]): boolean {
  return (
    lines.length >= end.length &&
    end.every((line, at) => line === lines[lines.length - end.length + at])
  );
}
