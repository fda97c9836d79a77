// Streams.
import type { Database } from "../database.ts";
import { Refused, type Reply, syntaxError, wrongNumberOfWords } from "../reply.ts";
import {
  compareIds,
  type Entry,
  firstId,
  idAfter,
  idBefore,
  idOf,
  lastId,
  plusOne,
  type Stream,
  type StreamId,
  textOfId,
} from "../stream.ts";
import { type Commands, makesRoom, reads, wholeOf, writes } from "./command.ts";

/** Redis removes whole nodes of so many entries where it may remove about as many as were named. */
const nodeSize = 100;
const end: StreamId = lastId;

export const streams: Commands = {
  XADD: writes(
    5,
    (database, [key = "", ...words]) => {
      const { place, maxLength, isAbout } = trimOf(words, 0);
      const [id = "", ...fields] = words.slice(place);
      if (fields.length === 0 || fields.length % 2 !== 0) throw wrongNumberOfWords("xadd");
      const chosen = chosenId(id);
      const added = newId(chosen, database.readStream(key)?.lastId ?? firstId, database.now());
      const stream = database.streamAt(key);
      stream.add(added, fields);
      if (maxLength !== undefined) trim(stream, maxLength, isAbout);
      database.changes += 1;
      return textOfId(added);
    },
    false,
  ),
  XLEN: reads(2, (database, [key = ""]) => database.readStream(key)?.entries.length ?? 0),
  XRANGE: reads(
    4,
    (database, [key = "", from = "", to = "", ...options]) =>
      repliesOf(between(database, key, [from, to], countOf(options))),
    false,
  ),
  XREVRANGE: reads(
    4,
    (database, [key = "", to = "", from = "", ...options]) =>
      repliesOf(between(database, key, [from, to], -countOf(options))),
    false,
  ),
  XDEL: makesRoom(
    3,
    (database, [key = "", ...ids]) => {
      const stream = database.readStream(key);
      if (stream === undefined) return 0;
      const parsed = ids.map((id) => idOf(id, 0));
      let removed = 0;
      for (const id of parsed) {
        const place = stream.placeOf(id);
        const entry = stream.entries[place];
        if (entry === undefined || compareIds(entry.id, id) !== 0) continue;
        stream.entries.splice(place, 1);
        removed += 1;
      }
      if (removed > 0) database.changes += 1;
      return removed;
    },
    false,
  ),
  XTRIM: makesRoom(
    4,
    (database, [key = "", ...words]) => {
      const { maxLength, isAbout } = trimOf(words, 0);
      const stream = database.readStream(key);
      if (maxLength === undefined) throw syntaxError();
      const removed = stream === undefined ? 0 : trim(stream, maxLength, isAbout);
      if (removed > 0) database.changes += 1;
      return removed;
    },
    false,
  ),
  XINFO: reads(
    3,
    (database, [what = "", key = ""]) => {
      if (what.toUpperCase() !== "STREAM") throw syntaxError();
      const stream = database.readStream(key);
      if (stream === undefined) throw new Refused("ERR no such key");
      const { entries, added } = stream;
      return [
        ...[
          "length",
          entries.length,
          "last-generated-id",
          textOfId(stream.lastId),
          "entries-added",
          added,
        ],
        ...["first-entry", replyOf(entries[0]), "last-entry", replyOf(entries.at(-1))],
      ];
    },
    false,
  ),
};

/** The entries after each of these places, of the streams that have some. */
export function readStreams(
  database: Database,
  wanted: readonly (readonly [key: string, after: StreamId])[],
  count: number,
): Reply {
  const found: Reply[] = [];
  for (const [key, after] of wanted) {
    const from = idAfter(after);
    const stream = database.readStream(key);
    if (stream === undefined || from === undefined || compareIds(stream.lastId, from) < 0) continue;
    const place = stream.placeOf(from);
    if (place < stream.entries.length)
      found.push([key, repliesOf(stream.entries.slice(place, place + count))]);
  }
  return found.length === 0 ? null : found;
}

/** Without a sequence where the stream chooses it; undefined where the clock chooses all of it. */
function chosenId(text: string): { id: StreamId; isNext: boolean } | undefined {
  if (text === "*") return undefined;
  const [, ms] = /^(\d+)-\*$/.exec(text) ?? [];
  const id = idOf(ms ?? text, 0);
  if (ms === undefined && compareIds(id, firstId) === 0)
    throw new Refused("ERR The ID specified in XADD must be greater than 0-0");
  return { id, isNext: ms !== undefined };
}

function newId(chosen: ReturnType<typeof chosenId>, last: StreamId, now: number): StreamId {
  const next = idAfter(last);
  if (next === undefined)
    throw new Refused(
      "ERR The stream has exhausted the last possible ID, unable to add more items",
    );
  if (chosen === undefined) return now > last[0] ? [now, 0] : next;
  const isSame = chosen.isNext && chosen.id[0] === last[0];
  const id: StreamId = isSame ? [last[0], plusOne(last[1])] : chosen.id;
  if (compareIds(id, last) <= 0)
    throw new Refused(
      "ERR The ID specified in XADD is equal or smaller than the target stream top item",
    );
  return id;
}

function trimOf(
  words: readonly string[],
  from: number,
): { place: number; maxLength?: number; isAbout: boolean } {
  if (words[from]?.toUpperCase() !== "MAXLEN") return { place: from, isAbout: false };
  const sign = words[from + 1];
  const at = sign === "~" || sign === "=" ? from + 2 : from + 1;
  return { place: at + 1, maxLength: wholeOf(words[at]), isAbout: sign === "~" };
}

function trim(stream: Stream, maxLength: number, isAbout: boolean): number {
  const over = Math.max(0, stream.entries.length - maxLength);
  const removed = isAbout ? over - (over % nodeSize) : over;
  if (removed > 0) stream.entries.splice(0, removed);
  return removed;
}

function countOf(options: readonly string[]): number {
  if (options.length === 0) return Number.POSITIVE_INFINITY;
  if (options.length !== 2 || options[0]?.toUpperCase() !== "COUNT") throw syntaxError();
  return Math.max(0, wholeOf(options[1]));
}

/** At most `count` of them, the first ones; with a negative count the last ones, backwards. */
function between(
  database: Database,
  key: string,
  [from, to]: readonly [string, string],
  count: number,
): readonly Entry[] {
  const [first, last] = [boundOf(from, true), boundOf(to, false)];
  const stream = database.readStream(key);
  if (stream === undefined) return [];
  const begin = stream.placeOf(first);
  const over = Math.max(begin, stream.placeAfter(last));
  if (count >= 0) return stream.entries.slice(begin, Math.min(over, begin + count));
  return stream.entries.slice(Math.max(begin, over + count), over).reverse();
}

function boundOf(word: string, isFirst: boolean): StreamId {
  if (word === "-") return firstId;
  if (word === "+") return end;
  if (!word.startsWith("(")) return idOf(word, isFirst ? 0 : lastId[1]);
  const next = isFirst ? idAfter(idOf(word.slice(1), 0)) : idBefore(idOf(word.slice(1), 0));
  if (next === undefined)
    throw new Refused(`ERR invalid ${isFirst ? "start" : "end"} ID for the interval`);
  return next;
}

function repliesOf(entries: readonly Entry[]): Reply[] {
  return entries.map(({ id, fields }) => [textOfId(id), fields]);
}

function replyOf(entry: Entry | undefined): Reply {
  return entry === undefined ? null : [textOfId(entry.id), entry.fields];
}
