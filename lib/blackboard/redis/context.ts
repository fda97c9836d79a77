// The context of a claim's target, found and read in one round trip.
import type { Artefact } from "../../model/artefact.ts";
import { artefactFieldNames, artefactOfFields } from "../artefact-fields.ts";
import type { ArtefactBoard } from "../artefact-port.ts";
import { type ContextEntry, contextDepth, oldestFirst } from "../context-chain.ts";
import type { Parts } from "./parts.ts";
import { listed } from "./script-arguments.ts";

export function readContextOf({ keys, script }: Parts): ArtefactBoard["readContext"] {
  return async (target, additionalIds) => {
    const begin = [...target.source_artefacts, ...additionalIds];
    if (begin.length === 0) return { chain: [], additional: [] };
    const lists = [...listed(begin, (id) => [id]), ...listed(additionalIds, (id) => [id])];
    const words = await script("readContext", [], [target.id, String(contextDepth), ...lists]);
    const entries: ContextEntry[] = [];
    const byId = new Map<string, Artefact>();
    for (let at = 0; at < words.length; at += 1 + artefactFieldNames.length) {
      const fields = Object.fromEntries(artefactFieldNames.map((name, place) => [name, words[at + 1 + place]]));
      const artefact = artefactOfFields(fields, keys.artefact(fields.id ?? ""));
      if (artefact === undefined) continue;
      byId.set(artefact.id, artefact);
      if (words[at] !== "") entries.push({ artefact, depth: Number(words[at]) });
    }
    const additional = additionalIds.map((id) => byId.get(id)).filter((one): one is Artefact => one !== undefined);
    return { chain: oldestFirst(entries), additional };
  };
}
