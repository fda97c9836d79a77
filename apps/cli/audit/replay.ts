// Decides again all that the log of an instance, or of an archive, says was decided.
import { createHash } from "node:crypto";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { FactDigest } from "../../../lib/model/fact.ts";
import { basisIn } from "../../../lib/replay/decision-on-record.ts";
import { Replay, type Replayed } from "../../../lib/replay/replay.ts";
import { eventPages } from "../archive/log-order.ts";

/** Up to the end that the log has now. A fact that was written over counts as missing. */
export async function replayLog(board: ReadingBoard): Promise<Replayed> {
  const facts = new Map<FactDigest, string>();
  const replay = new Replay(facts);
  for await (const page of eventPages(board, await board.endOfEvents())) {
    const missing = digestsIn(page).filter((digest) => !facts.has(digest));
    for (const [digest, text] of await board.readFacts(missing))
      if (createHash("sha256").update(text).digest("hex") === digest) facts.set(digest, text);
    for (const event of page) replay.add(event);
  }
  return replay.end();
}

/** The facts that these events name. */
export function digestsIn(events: readonly SettEvent[]): FactDigest[] {
  const named = events.flatMap((event) => Object.values(basisIn(event) ?? {}));
  return [...new Set(named)];
}
