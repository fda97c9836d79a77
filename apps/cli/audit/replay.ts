// Decides again all that the log of an instance, or of an archive, says was decided.
import { createHash } from "node:crypto";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { FactDigest } from "../../../lib/model/fact.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { basisIn } from "../../../lib/replay/decision-on-record.ts";
import { Replay, type Replayed } from "../../../lib/replay/replay.ts";
import { eventPages } from "../archive/log-order.ts";

/** Up to the end that the log has now. A fact that was written over counts as missing. */
export async function replayLog(board: ReadingBoard): Promise<Replayed> {
  const facts = new Map<FactDigest, string>();
  const replay = new Replay(facts);
  for await (const page of eventPages(board, await board.endOfEvents())) {
    for (const { goal, digests } of factsNamedIn(page)) {
      const missing = digests.filter((digest) => !facts.has(digest));
      if (missing.length === 0) continue;
      for (const [digest, text] of await board.readFacts(missing, goal))
        if (createHash("sha256").update(text).digest("hex") === digest) facts.set(digest, text);
    }
    for (const event of page) replay.add(event);
  }
  return replay.end();
}

/** `goal`: of facts that are on record with it; undefined of those of all goals. */
type NamedFacts = { goal: GoalId | undefined; digests: FactDigest[] };

/** The facts that these events name. */
export function factsNamedIn(events: readonly SettEvent[]): NamedFacts[] {
  const ofAll = new Set<FactDigest>();
  const ofGoals = new Map<GoalId, Set<FactDigest>>();
  for (const event of events) {
    const { registry, policy, paths } = basisIn(event) ?? {};
    for (const digest of [registry, policy]) if (digest !== undefined) ofAll.add(digest);
    const goal = event.goal_id;
    if (paths === undefined || goal === undefined) continue;
    ofGoals.set(goal, (ofGoals.get(goal) ?? new Set()).add(paths));
  }
  return [
    { goal: undefined, digests: [...ofAll] },
    ...[...ofGoals].map(([goal, digests]) => ({ goal, digests: [...digests] })),
  ];
}
