// Each decision, made again from the log alone.
import { Replay, type Replayed } from "../../../lib/replay/replay.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";

export const replayRules: Rules = [
  ["wrong", everyDecisionFollowsFromTheLog],
  ["lost", noDecisionIsDue],
];

function* everyDecisionFollowsFromTheLog(history: History) {
  for (const { event, claim, rules, record } of replayed(history).differences)
    yield `Event ${event} of claim ${claim} is ${record}, and the rules say ${rules}`;
}

function* noDecisionIsDue(history: History) {
  for (const { claim, rules } of replayed(history).due)
    yield `Of claim ${claim} this is due, and not on record: ${rules}`;
}

const known = new WeakMap<History, Replayed>();

function replayed(history: History): Replayed {
  const before = known.get(history);
  if (before !== undefined) return before;
  const replay = new Replay(history.facts);
  for (const event of history.events) replay.add(event);
  const result = replay.end();
  known.set(history, result);
  return result;
}
