// All that a small Redis holds, as the rules of the chaos runs read it.
import { Snapshot, type Stored } from "../chaos/snapshot.ts";
import { textOf } from "../support/redis-in-memory/bytes.ts";
import type { Database } from "../support/redis-in-memory/database.ts";
import { textOfScore } from "../support/redis-in-memory/sorted-set.ts";
import { textOfId } from "../support/redis-in-memory/stream.ts";

export function snapshotOf(database: Database): Snapshot {
  return new Snapshot(database.keys().map((key) => [textOf(key), storedAt(database, key)]));
}

function storedAt(database: Database, key: string): Stored {
  switch (database.kindOf(key)) {
    case "hash":
      return [...(database.readHash(key) ?? [])].flat().map(textOf);
    case "zset":
      return (database.readSortedSet(key)?.all() ?? []).flatMap(({ member, score }) => [
        textOf(member),
        textOfScore(score),
      ]);
    case "list":
      return (database.readList(key) ?? []).map(textOf);
    case "stream":
      return (database.readStream(key)?.entries ?? []).map(({ id, fields }) => [
        textOfId(id),
        fields.map(textOf),
      ]);
    default:
      return [textOf(database.readText(key) ?? "")];
  }
}
