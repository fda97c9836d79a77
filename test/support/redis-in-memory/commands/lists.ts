// Lists.
import type { Database } from "../database.ts";
import type { Reply } from "../reply.ts";
import { type Commands, makesRoom, wholeOf, writes } from "./command.ts";

export const lists: Commands = {
  RPUSH: writes(
    3,
    (database, [key = "", ...members]) => {
      const list = database.listAt(key);
      list.push(...members);
      database.changes += 1;
      return list.length;
    },
    false,
  ),
  LPUSH: writes(
    3,
    (database, [key = "", ...members]) => {
      const list = database.listAt(key);
      for (const member of members) list.unshift(member);
      database.changes += 1;
      return list.length;
    },
    false,
  ),
  LPOP: makesRoom(
    2,
    (database, [key = "", count]) => {
      const popped = popFrom(database, key, count === undefined ? 1 : wholeOf(count));
      return count === undefined ? (popped?.[0] ?? null) : (popped ?? null);
    },
    false,
  ),
};

/** Undefined where there is no list. */
export function popFrom(database: Database, key: string, count: number): Reply[] | undefined {
  const list = database.readList(key);
  if (list === undefined) return undefined;
  const popped = list.splice(0, count);
  if (popped.length > 0) database.changes += 1;
  database.removeIfEmpty(key);
  return popped;
}
