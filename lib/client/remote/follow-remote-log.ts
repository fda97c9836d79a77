// Follows the log of one part through the API, also when the API starts again.
import { sleep } from "../../async/sleep.ts";
import { isUnreachable, SettError } from "../../model/errors.ts";
import type { ApiAddress } from "./api-client.ts";
import { openRemoteLog } from "./remote-log.ts";
import { comparedLines, unseenLines } from "./unseen-lines.ts";

/** Covers what was written while the API was away, and the last lines before it. */
const readAgain = 2_000;
const retryMs = 500;
/** The log of a part that has ended does so at once, each time. */
const atOnceMs = 2_000;

type Wanted = { part: string; tail: number | undefined };
/** Called when the API no longer answers, and when it does again. */
type Notes = { away(): void; back(): void };

/**
 * Follows until the signal, or until the part has ended. Throws as `askApi` at the beginning, and
 * later where there is no such part any more.
 */
export async function* followRemoteLog(
  api: ApiAddress,
  { part, tail }: Wanted,
  { away, back }: Notes,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let seen: string[] = [];
  let isFirst = true;
  let isAway = false;
  for (; !signal.aborted; await sleep(retryMs, signal)) {
    const openedAt = performance.now();
    let count = 0;
    try {
      const isKnown = seen.length > 0;
      const lines = await openRemoteLog(
        api,
        { part, tail: isKnown ? readAgain : tail, follow: true },
        signal,
      );
      if (isAway) back();
      isAway = false;
      const wanted = isKnown ? unseenLines(lines, { seen, past: readAgain }) : lines;
      isFirst = false;
      for await (const line of wanted) {
        count += 1;
        seen = [...seen.slice(1 - comparedLines), line];
        yield line;
      }
      if (count === 0 && performance.now() - openedAt < atOnceMs) return;
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst || !isAwayStill(error)) throw error;
      if (!isAway) away();
      isAway = true;
    }
  }
}

/** This also covers what is not there yet when the API starts. */
function isAwayStill(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof SettError && error.code === "not-ready");
}
