// Artefacts without their payloads, many in one round trip.
import type { ArtefactId } from "../../model/ids.ts";
import type { ArtefactBoard, StoredHead } from "../port/artefacts.ts";
import { artefactFieldNames } from "../records/artefact-field-names.ts";
import { beginningOf, headOfFields } from "../records/artefact-fields.ts";
import type { Deps } from "./deps.ts";

const headFields = artefactFieldNames.filter((name) => name !== "payload");
const wordsPerHead = headFields.length + 3;

/**
 * A function blocks every other caller while it runs: it takes no more ids, and stops before where
 * they have much metadata.
 */
const headsAtOnce = 500;

/** By the id that was asked for: what a person has written under it may name another. */
type Found = readonly [id: string, head: StoredHead];

export function readHeadsOf({ keys, call }: Deps): ArtefactBoard["readHeads"] {
  const readSome = async (
    ids: readonly ArtefactId[],
  ): Promise<{ heads: Found[]; lookedAt: number }> => {
    const [lookedAt, ...words] = await call("readHeads", {}, { ids });
    const heads: Found[] = [];
    for (let at = 0; at < words.length; at += wordsPerHead) {
      const fields = Object.fromEntries(
        headFields.map((name, place) => [name, words[at + 1 + place]]),
      );
      const id = ids[Number(words[at]) - 1] ?? "";
      const head = headOfFields(fields, keys.artefact(id));
      const [size, beginning = ""] = words.slice(at + wordsPerHead - 2, at + wordsPerHead);
      heads.push([
        id,
        { head, payloadBytes: Number(size), beginning: beginningOf(head, beginning) },
      ]);
    }
    return { heads, lookedAt: Number(lookedAt) };
  };
  return async (ids) => {
    const each = [...new Set(ids)];
    const found = new Map<string, StoredHead>();
    for (let from = 0; from < each.length; ) {
      const { heads, lookedAt } = await readSome(each.slice(from, from + headsAtOnce));
      for (const [id, one] of heads) found.set(id, one);
      from += lookedAt;
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  };
}
