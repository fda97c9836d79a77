// Reads many artefacts: without what they say, or a few at a time, for payloads of 16 MiB each are possible.
import type { StoredHead } from "../../../lib/blackboard/artefact-port.ts";
import { piecesOf } from "../../../lib/blackboard/pieces.ts";
import { isApproval } from "../../../lib/core/review-verdict.ts";
import type { Artefact, ArtefactHead } from "../../../lib/model/artefact.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { firstLine } from "../text/plain-text.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** What an approval says to people, whose content is `{}` or `[]`. */
export const approving = "approves";

/** Few round trips for small ones, little memory for large ones. */
const atOnce = { bytes: 4 * 1024 ** 2, items: 200 };
const headsAtOnce = 500;

/** Artefacts never change: whoever asks for the same ones again and again keeps what has been read. */
export type KnownArtefacts = Map<ArtefactId, ArtefactHead>;

/** In the order asked for; what does not exist is left out. */
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
 * The same without what they say, but each with a summary: one written by hand may have none, and its first line stands in, or the size of
 * what is too large to be looked into.
 * Only those that are not in `known` are read, and are put there.
 */
export async function readHeads(
  board: Pick<ReadingBoard, "readHeads">,
  ids: readonly ArtefactId[],
  known: KnownArtefacts = new Map(),
): Promise<ArtefactHead[]> {
  const unknown = ids.filter((id) => !known.has(id));
  for (const stored of await board.readHeads(unknown)) {
    const { head } = stored;
    const summary = (head.metadata.summary ?? "").trim() === "" ? insteadOfSummary(stored) : head.metadata.summary;
    known.set(head.id, { ...head, metadata: { ...head.metadata, summary } });
  }
  return ids.flatMap((id) => known.get(id) ?? []);
}

function insteadOfSummary({ head, beginning, payloadBytes }: StoredHead): string {
  if (beginning === "" && payloadBytes > 0) return `${Math.ceil(payloadBytes / 1024)} kB without a summary`;
  const isWhole = new TextEncoder().encode(beginning).byteLength === payloadBytes;
  return head.structural_type === "Review" && isWhole && isApproval(beginning) ? approving : firstLine(beginning);
}
