// Each decision, made again from the log alone, and what the record has of it.
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import { Replay, type Replayed } from "../../../lib/replay/replay.ts";
import { overwrittenIn } from "../../../lib/replay/state-by-log.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";

export const replayRules: Rules = [
  ["wrong", everyDecisionFollowsFromTheLog],
  ["lost", noDecisionIsDue],
  ["wrong", claimsAreAsTheLogSays],
];

function* everyDecisionFollowsFromTheLog(history: History) {
  for (const { event, claim, rules, record } of replayed(history).differences)
    yield `Event ${event} of claim ${claim} is ${record}, and the rules say ${rules}`;
}

function* noDecisionIsDue(history: History) {
  for (const { artefact, rules } of replayed(history).due)
    yield `Of artefact ${artefact} this is due, and not on record: ${rules}`;
}

function* claimsAreAsTheLogSays(history: History) {
  for (const one of replayed(history).made) {
    const claim = history.claims.get(one.claim.id);
    const found = overwrittenIn(one, claim && { claim, grants: claim.grants });
    if (found !== undefined)
      yield `Claim ${one.claim.id} is ${found.record}, and the log says ${found.log}`;
  }
}

type Known = Replayed & { made: readonly ClaimSnapshot[] };

const known = new WeakMap<History, Known>();

function replayed(history: History): Known {
  const before = known.get(history);
  if (before !== undefined) return before;
  const replay = new Replay(history.facts);
  for (const event of history.events) replay.add(event);
  const result = { ...replay.end(), made: replay.claims() };
  known.set(history, result);
  return result;
}
