// Sorted sets.
import { Refused, type Reply, syntaxError } from "../reply.ts";
import { type Scored, textOfScore } from "../sorted-set.ts";
import { type Commands, floatOf, makesRoom, placesOf, reads, wholeOf, writes } from "./command.ts";

const addOptions = new Set(["NX", "XX", "GT", "LT", "CH"]);

export const sortedSets: Commands = {
  ZADD: writes(
    4,
    (database, [key = "", ...words]) => {
      const options = new Set<string>();
      let place = 0;
      for (; addOptions.has((words[place] ?? "").toUpperCase()); place += 1)
        options.add((words[place] ?? "").toUpperCase());
      if (place === words.length || (words.length - place) % 2 !== 0) throw syntaxError();
      const scored: Scored[] = [];
      for (; place < words.length; place += 2)
        scored.push({ score: floatOf(words[place]), member: words[place + 1] as string });
      if (options.has("XX") && database.readSortedSet(key) === undefined) return 0;
      const set = database.sortedSetAt(key);
      let [added, changed] = [0, 0];
      for (const { member, score } of scored) {
        const before = set.scoreOf(member);
        if (before === undefined ? options.has("XX") : options.has("NX")) continue;
        if (before !== undefined && options.has("GT") && score <= before) continue;
        if (before !== undefined && options.has("LT") && score >= before) continue;
        if (before === undefined) added += 1;
        else if (before !== score) changed += 1;
        set.set(member, score);
      }
      if (added + changed > 0) database.changes += 1;
      database.removeIfEmpty(key);
      return options.has("CH") ? added + changed : added;
    },
    false,
  ),
  ZREM: makesRoom(
    3,
    (database, [key = "", ...members]) => {
      const set = database.readSortedSet(key);
      if (set === undefined) return 0;
      let removed = 0;
      for (const member of members) if (set.delete(member)) removed += 1;
      if (removed > 0) database.changes += 1;
      database.removeIfEmpty(key);
      return removed;
    },
    false,
  ),
  ZSCORE: reads(3, (database, [key = "", member = ""]) => {
    const score = database.readSortedSet(key)?.scoreOf(member);
    return score === undefined ? null : textOfScore(score);
  }),
  ZMSCORE: reads(
    3,
    (database, [key = "", ...members]) => {
      const set = database.readSortedSet(key);
      return members.map((member) => {
        const score = set?.scoreOf(member);
        return score === undefined ? null : textOfScore(score);
      });
    },
    false,
  ),
  ZCARD: reads(2, (database, [key = ""]) => database.readSortedSet(key)?.size ?? 0),
  ZRANGE: reads(
    4,
    (database, [key = "", start, stop, ...options]) => {
      const [first, last] = [wholeOf(start), wholeOf(stop)];
      const { withScores, limit } = optionsOf(options);
      if (limit !== undefined) throw syntaxError();
      const all = database.readSortedSet(key)?.all() ?? [];
      return repliesOf(all.slice(...placesOf(first, last, all.length)), withScores);
    },
    false,
  ),
  ZRANGEBYSCORE: reads(
    4,
    (database, [key = "", low, high, ...options]) => {
      const isWithin = rangeOf(low, high);
      const { withScores, limit = [0, -1] } = optionsOf(options);
      const [offset, count] = limit;
      const all = database.readSortedSet(key)?.all() ?? [];
      const within = all.filter(({ score }) => isWithin(score));
      return repliesOf(within.slice(offset, count < 0 ? undefined : offset + count), withScores);
    },
    false,
  ),
};

type RangeOptions = {
  withScores: boolean;
  limit: readonly [number, number] | undefined;
};

function optionsOf(words: readonly string[]): RangeOptions {
  const found = {
    withScores: false,
    limit: undefined as RangeOptions["limit"],
  };
  for (let place = 0; place < words.length; place += 1) {
    const option = words[place]?.toUpperCase();
    if (option === "WITHSCORES") found.withScores = true;
    else if (option === "LIMIT") {
      found.limit = [wholeOf(words[place + 1]), wholeOf(words[place + 2])];
      place += 2;
    } else throw syntaxError();
  }
  return found;
}

function rangeOf(low: string | undefined, high: string | undefined): (score: number) => boolean {
  const [lowest, isAbove] = boundOf(low);
  const [highest, isBelow] = boundOf(high);
  return (score) =>
    (isAbove ? score > lowest : score >= lowest) && (isBelow ? score < highest : score <= highest);
}

function boundOf(word = ""): [bound: number, isExcluded: boolean] {
  try {
    return word.startsWith("(") ? [floatOf(word.slice(1)), true] : [floatOf(word), false];
  } catch {
    throw new Refused("ERR min or max is not a float");
  }
}

function repliesOf(scored: readonly Scored[], withScores: boolean): Reply[] {
  if (!withScores) return scored.map(({ member }) => member);
  return scored.flatMap(({ member, score }) => [member, textOfScore(score)]);
}
