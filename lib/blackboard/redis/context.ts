// Finds the context of a claim's target, and reads a small one in the same round trip. A very large
// one is found in pieces.
import type { Artefact } from "../../model/artefact.ts";
import type { ArtefactId } from "../../model/ids.ts";
import type { ArtefactBoard } from "../port/artefacts.ts";
import { artefactFieldNames } from "../records/artefact-field-names.ts";
import { artefactOfFields } from "../records/artefact-fields.ts";
import { type ContextEntry, contextDepth, oldestFirst } from "../records/context-chain.ts";
import {
  type ContextPart,
  checkContext,
  defaultContextBytes,
  pieceBytes,
} from "../records/context-limit.ts";
import { piecesOf } from "../records/pieces.ts";
import type { Deps } from "./deps.ts";
import { walkInPieces } from "./walk-context.ts";

/** `at`: the id under which it is stored; a person may have written another one into its fields. */
type Found = { steps: string; at: ArtefactId; artefact: Artefact };

export function readContextOf(
  { connection, keys, call }: Deps,
  readArtefacts: ArtefactBoard["readArtefacts"],
): ArtefactBoard["readContext"] {
  return async (target, additionalIds, maxBytes = defaultContextBytes) => {
    const beginWith = [...target.source_artefacts, ...additionalIds];
    if (beginWith.length === 0) return { chain: [], additional: [] };
    const limits = { max_steps: contextDepth, max_bytes: Math.min(pieceBytes, maxBytes) };
    const args = { target: target.id, ...limits, begin_with: beginWith, additional: additionalIds };
    const [form, ...words] = await call("readContext", {}, args);
    const readParts = async (parts: readonly Part[]) => {
      checkContext(parts, maxBytes);
      return await inPieces(parts, readArtefacts);
    };
    const found =
      form === "whole"
        ? wholeOf(words, keys.artefact)
        : await readParts(
            form === "heads"
              ? partsOf(words)
              : await walkParts({ connection, keys }, target, additionalIds),
          );
    const entries: ContextEntry[] = found.flatMap(({ steps, artefact }) =>
      steps === "" ? [] : [{ artefact, depth: Number(steps) }],
    );
    const byId = new Map(found.map(({ at, artefact }) => [at, artefact]));
    const additional = additionalIds
      .map((id) => byId.get(id))
      .filter((one): one is Artefact => one !== undefined);
    return { chain: oldestFirst(entries), additional };
  };
}

function wholeOf(words: readonly string[], keyOf: (id: string) => string): Found[] {
  return chunks(words, 2 + artefactFieldNames.length).flatMap(
    ([steps = "", id = "", ...values]) => {
      const fields = Object.fromEntries(
        artefactFieldNames.map((name, place) => [name, values[place]]),
      );
      const artefact = artefactOfFields(fields, keyOf(id));
      // The function found it under this id.
      return artefact === undefined ? [] : [{ steps, at: id as ArtefactId, artefact }];
    },
  );
}

/** `steps`: from the target, in decimal; empty for one that is only additional. */
type Part = ContextPart & { steps: string; id: ArtefactId };

function partsOf(words: readonly string[]): Part[] {
  // The function found them under these ids.
  return chunks(words, 4).map(([steps = "", id = "", type = "", bytes]) => ({
    steps,
    id: id as ArtefactId,
    type,
    bytes: Number(bytes),
  }));
}

async function walkParts(
  deps: Pick<Deps, "connection" | "keys">,
  target: Artefact,
  additionalIds: readonly ArtefactId[],
): Promise<Part[]> {
  const { entries, additional } = await walkInPieces(deps, target, additionalIds);
  const near = entries.map(({ artefact: { id, type, bytes }, depth }) => ({
    steps: String(depth),
    id,
    type,
    bytes,
  }));
  const isNear = new Set(near.map(({ id }) => id));
  const others = additional.filter(({ id }) => !isNear.has(id));
  return [...near, ...others.map(({ id, type, bytes }) => ({ steps: "", id, type, bytes }))];
}

async function inPieces(
  parts: readonly Part[],
  readArtefacts: ArtefactBoard["readArtefacts"],
): Promise<Found[]> {
  const found: Found[] = [];
  for (const piece of piecesOf(parts, ({ bytes }) => bytes, { bytes: pieceBytes, items: 100 })) {
    const artefacts = new Map(
      (await readArtefacts(piece.map(({ id }) => id))).map((artefact) => [artefact.id, artefact]),
    );
    for (const { steps, id } of piece) {
      const artefact = artefacts.get(id);
      if (artefact !== undefined) found.push({ steps, at: id, artefact });
    }
  }
  return found;
}

function chunks(words: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.floor(words.length / size) }, (_, index) =>
    words.slice(index * size, (index + 1) * size),
  );
}
