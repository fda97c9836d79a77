// Keys, texts, and what is asked of the server itself.
import type { Database } from "../database.ts";
import { ok, Refused, Status, syntaxError } from "../reply.ts";
import { type Commands, makesRoom, placesOf, reads, wholeOf, writes } from "./command.ts";

export const keys: Commands = {
  GET: reads(2, (database, [key = ""]) => database.readText(key) ?? null),
  SET: writes(
    3,
    (database, [key = "", text = "", ...options]) => {
      let [condition, expiry]: [string | undefined, number | undefined] = [undefined, undefined];
      for (let place = 0; place < options.length; place += 1) {
        const option = options[place]?.toUpperCase();
        if (option === "NX" || option === "XX") condition = option;
        else if (option === "PX") expiry = database.now() + wholeOf(options[++place]);
        else if (option === "EX") expiry = database.now() + 1_000 * wholeOf(options[++place]);
        else throw syntaxError();
      }
      const isThere = database.kindOf(key) !== undefined;
      if ((condition === "NX" && isThere) || (condition === "XX" && !isThere)) return null;
      database.writeText(key, text, expiry);
      return ok;
    },
    false,
  ),
  GETRANGE: reads(4, (database, [key = "", start, stop]) => {
    const [first, last] = [wholeOf(start), wholeOf(stop)];
    const text = database.readText(key) ?? "";
    // The real one takes an end before the beginning for the beginning, but where both are negative
    // and the wrong way round.
    if (first < 0 && last < 0 && first > last) return "";
    return text.slice(...placesOf(first, Math.max(last, -text.length), text.length));
  }),
  INCRBY: writes(3, (database, [key = "", step]) => {
    const by = wholeOf(step);
    const sum = wholeOf(database.readText(key) ?? "0") + by;
    database.writeText(key, String(sum));
    return sum;
  }),
  DEL: makesRoom(2, removeAll, false),
  UNLINK: makesRoom(2, removeAll, false),
  EXPIRE: makesRoom(3, (database, [key = "", seconds]) =>
    database.expire(key, database.now() + 1_000 * wholeOf(seconds)) ? 1 : 0,
  ),
  EXISTS: reads(
    2,
    (database, names) => names.filter((key) => database.kindOf(key) !== undefined).length,
    false,
  ),
  TYPE: reads(2, (database, [key = ""]) => new Status(database.kindOf(key) ?? "none")),
  TIME: reads(1, (database) => {
    const now = database.now();
    return [String(Math.floor(now / 1_000)), String(Math.floor(now % 1_000) * 1_000)];
  }),
  MEMORY: reads(
    3,
    (database, [what = "", key = ""]) => {
      if (what.toUpperCase() !== "USAGE") throw new Refused(`ERR unknown subcommand '${what}'.`);
      return sizeOf(database, key);
    },
    false,
  ),
};

function removeAll(database: Database, names: readonly string[]): number {
  return names.filter((key) => database.remove(key)).length;
}

/** About as much as Redis would need for it. */
function sizeOf(database: Database, key: string): number | null {
  const kind = database.kindOf(key);
  if (kind === undefined) return null;
  const own = 50 + key.length;
  if (kind === "string") return own + (database.readText(key)?.length ?? 0);
  const texts =
    kind === "hash"
      ? [...(database.readHash(key) ?? [])].flat()
      : kind === "stream"
        ? (database.readStream(key)?.entries ?? []).flatMap(({ fields }) => fields)
        : kind === "list"
          ? (database.readList(key) ?? [])
          : (database.readSortedSet(key)?.all() ?? []).map(({ member }) => member);
  return own + texts.reduce((sum, text) => sum + 8 + text.length, 0);
}
