// The context of a claim's target: found, and where it is small also read, in one round trip.
import type { Artefact } from "../../model/artefact.ts";
import type { ArtefactId } from "../../model/ids.ts";
import { artefactFieldNames, artefactOfFields } from "../artefact-fields.ts";
import type { ArtefactBoard } from "../artefact-port.ts";
import { type ContextEntry, contextDepth, oldestFirst } from "../context-chain.ts";
import { checkContext, defaultContextBytes, pieceBytes } from "../context-limit.ts";
import { piecesOf } from "../pieces.ts";
import type { Deps } from "./deps.ts";

type Found = { steps: string; artefact: Artefact };

export function readContextOf({ keys, call }: Deps, readArtefacts: ArtefactBoard["readArtefacts"]): ArtefactBoard["readContext"] {
  return async (target, additionalIds, maxBytes = defaultContextBytes) => {
    const beginWith = [...target.source_artefacts, ...additionalIds];
    if (beginWith.length === 0) return { chain: [], additional: [] };
    const limits = { max_steps: contextDepth, max_bytes: Math.min(pieceBytes, maxBytes) };
    const args = { target: target.id, ...limits, begin_with: beginWith, additional: additionalIds };
    const [form, ...words] = await call("readContext", {}, args);
    const found = form === "whole" ? wholeOf(words, keys.artefact) : await inPieces(partsOf(words, maxBytes), readArtefacts);
    const entries: ContextEntry[] = found.flatMap(({ steps, artefact }) =>
      steps === "" ? [] : [{ artefact, depth: Number(steps) }],
    );
    const byId = new Map(found.map(({ artefact }) => [artefact.id, artefact]));
    const additional = additionalIds.map((id) => byId.get(id)).filter((one): one is Artefact => one !== undefined);
    return { chain: oldestFirst(entries), additional };
  };
}

function wholeOf(words: readonly string[], keyOf: (id: string) => string): Found[] {
  return chunks(words, 2 + artefactFieldNames.length).flatMap(([steps = "", id = "", ...values]) => {
    const fields = Object.fromEntries(artefactFieldNames.map((name, place) => [name, values[place]]));
    const artefact = artefactOfFields(fields, keyOf(id));
    return artefact === undefined ? [] : [{ steps, artefact }];
  });
}

type Part = { steps: string; id: ArtefactId; bytes: number };

/** Throws `context-too-large`. */
function partsOf(words: readonly string[], maxBytes: number): Part[] {
  // The function found them under these ids.
  const parts = chunks(words, 4).map(([steps = "", id = "", type = "", bytes]) => ({
    steps,
    id: id as ArtefactId,
    type,
    bytes: Number(bytes),
  }));
  checkContext(parts, maxBytes);
  return parts;
}

async function inPieces(parts: readonly Part[], readArtefacts: ArtefactBoard["readArtefacts"]): Promise<Found[]> {
  const found: Found[] = [];
  for (const piece of piecesOf(parts, ({ bytes }) => bytes, { bytes: pieceBytes, items: 100 })) {
    const artefacts = new Map((await readArtefacts(piece.map(({ id }) => id))).map((artefact) => [artefact.id, artefact]));
    for (const { steps, id } of piece) {
      const artefact = artefacts.get(id);
      if (artefact !== undefined) found.push({ steps, artefact });
    }
  }
  return found;
}

function chunks(words: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.floor(words.length / size) }, (_, index) => words.slice(index * size, (index + 1) * size));
}
