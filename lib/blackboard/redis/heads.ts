// Artefacts without their payloads, many in one round trip.
import { artefactFieldNames, headOfFields } from "../artefact-fields.ts";
import {
  type ArtefactBoard,
  beginningLength,
  maxInspectedLength,
  type StoredHead,
  withoutHalfCharacter,
} from "../artefact-port.ts";
import type { Deps } from "./deps.ts";

const headFields = artefactFieldNames.filter((name) => name !== "payload");
const wordsPerHead = headFields.length + 3;

/** A function blocks every other caller while it runs: this many take about a millisecond. */
const headsAtOnce = 500;

export function readHeadsOf({ keys, call }: Deps): ArtefactBoard["readHeads"] {
  return async (ids) => {
    const heads: StoredHead[] = [];
    for (let from = 0; from < ids.length; from += headsAtOnce) {
      const some = ids.slice(from, from + headsAtOnce);
      const args = { beginning_bytes: beginningLength, max_inspected_bytes: maxInspectedLength, ids: some };
      const words = await call("readHeads", {}, args);
      for (let at = 0; at < words.length; at += wordsPerHead) {
        const fields = Object.fromEntries(headFields.map((name, place) => [name, words[at + 1 + place]]));
        const head = headOfFields(fields, keys.artefact(some[Number(words[at]) - 1] ?? ""));
        const [size, beginning = ""] = words.slice(at + wordsPerHead - 2, at + wordsPerHead);
        heads.push({ head, payloadBytes: Number(size), beginning: withoutHalfCharacter(beginning) });
      }
    }
    return heads;
  };
}
