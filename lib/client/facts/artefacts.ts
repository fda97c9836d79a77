// Reads many artefacts: without their payloads, or a few at a time, because each payload may have
// 16 MiB.
import type { StoredHead } from "../../blackboard/port/artefacts.ts";
import { piecesOf } from "../../blackboard/records/pieces.ts";
import { isApproval } from "../../model/approval.ts";
import type { Artefact, ArtefactHead } from "../../model/artefact.ts";
import type { ArtefactId } from "../../model/ids.ts";
import { firstLine } from "../text/plain-text.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** The summary of an approval, whose payload is `{}` or `[]`. */
export const approving = "approves";

/** Few round trips for small artefacts, little memory for large ones. */
const atOnce = { bytes: 4 * 1024 ** 2, items: 200 };
const headsAtOnce = 500;

/**
 * A cache of heads, for a caller that reads the same artefacts repeatedly. Artefacts never change.
 */
export type KnownArtefacts = Map<ArtefactId, ArtefactHead>;

/** Returns them in the order of `ids`, without those that do not exist. */
export async function* readWhole(
  board: Pick<ReadingBoard, "readHeads" | "readArtefacts">,
  ids: readonly ArtefactId[],
): AsyncGenerator<Artefact> {
  for (let at = 0; at < ids.length; at += headsAtOnce) {
    const heads = await board.readHeads(ids.slice(at, at + headsAtOnce));
    for (const piece of piecesOf(heads, ({ payloadBytes }) => payloadBytes, atOnce))
      yield* await board.readArtefacts(piece.map(({ head }) => head.id));
  }
}

/**
 * Reads the same without payloads, but each with a summary. An artefact written by hand may have
 * none: then its first line replaces it, or the size of a payload that is too large to inspect.
 * Reads only those that are not in `known`, and adds them to it.
 */
export async function readHeads(
  board: Pick<ReadingBoard, "readHeads">,
  ids: readonly ArtefactId[],
  known: KnownArtefacts = new Map(),
): Promise<ArtefactHead[]> {
  const unknown = ids.filter((id) => !known.has(id));
  for (const stored of await board.readHeads(unknown)) {
    const { head } = stored;
    const summary =
      (head.metadata.summary ?? "").trim() === ""
        ? insteadOfSummary(stored)
        : head.metadata.summary;
    known.set(head.id, { ...head, metadata: { ...head.metadata, summary } });
  }
  return ids.flatMap((id) => known.get(id) ?? []);
}

function insteadOfSummary({ head, beginning, payloadBytes }: StoredHead): string {
  if (beginning === "" && payloadBytes > 0)
    return `${Math.ceil(payloadBytes / 1024)} kB without a summary`;
  const isWhole = new TextEncoder().encode(beginning).byteLength === payloadBytes;
  return head.structural_type === "Review" && isWhole && isApproval(beginning)
    ? approving
    : firstLine(beginning);
}
