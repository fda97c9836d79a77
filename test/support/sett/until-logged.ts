// Waits for lines of a part's log, which come later than the events that they are about.
import type { Finished } from "../cli/finished.ts";
import { waitFor } from "../wait-for.ts";

type Looking = { look: (...words: string[]) => Promise<Finished> };

/** Waits until `sett logs` of the part has all of this. */
export async function untilLogged(
  sett: Looking,
  part: string,
  words: readonly string[],
): Promise<void> {
  let log = "";
  const isThere = async () => {
    log = (await sett.look("logs", part)).out;
    return words.every((each) => log.includes(each));
  };
  const happened = async () => log.slice(-3_000);
  await waitFor(`the log of ${part}`, isThere, { everyMs: 200, happened });
}
