// Reads artefacts for people and compares each with the digest that the indexes have of it. A password of Redis is enough to write over a
// record; a person must not approve, archive or believe one without a word about it.
import type { Artefact, ArtefactHead } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import type { ArtefactId } from "../../model/ids.ts";
import { shortId } from "../../words/short-id.ts";
import { readHeads } from "./artefacts.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** `overwritten`: it is not what was stored. */
export type Checked<Read> = Read & { overwritten?: true };
export type CheckedHeads = {
  /** In the order of the ids. */
  heads: Checked<ArtefactHead>[];
  /** Those whose fields a person has damaged, or that were removed by hand: nothing can be shown of them. */
  unreadable: ArtefactId[];
};

type Board = Pick<ReadingBoard, "readHeads" | "findOverwritten">;

/** The heads of these artefacts. One that is damaged keeps none of the others from being read. */
export async function readChecked(board: Board, ids: readonly ArtefactId[]): Promise<CheckedHeads> {
  const overwritten = new Set(await board.findOverwritten(ids));
  const sound = ids.filter((id) => !overwritten.has(id));
  const read = new Map<ArtefactId, Checked<ArtefactHead>>();
  for (const head of await readHeads(board, sound)) read.set(head.id, head);
  const unreadable: ArtefactId[] = [];
  for (const id of overwritten) {
    const head = await readDamaged(board, id);
    // Its own field says which id it has.
    if (head === undefined || head.id !== id) unreadable.push(id);
    else read.set(id, { ...head, overwritten: true });
  }
  return { heads: ids.flatMap((id) => read.get(id) ?? []), unreadable };
}

async function readDamaged(board: Board, id: ArtefactId): Promise<ArtefactHead | undefined> {
  try {
    return (await readHeads(board, [id]))[0];
  } catch (error) {
    if (isMalformed(error)) return undefined;
    throw error;
  }
}

/** Undefined where there is none. Throws `artefact-malformed` for one that was damaged or removed by hand. */
export async function readCheckedArtefact(
  board: Pick<ReadingBoard, "readArtefact" | "findOverwritten">,
  id: ArtefactId,
): Promise<Checked<Artefact> | undefined> {
  const [artefact, overwritten] = await Promise.all([board.readArtefact(id), board.findOverwritten([id])]);
  if (overwritten.length === 0) return artefact;
  if (artefact !== undefined) return { ...artefact, overwritten: true };
  throw new SettError("artefact-malformed", `Artefact ${id} was removed by hand: only the indexes know of it.`, {
    hint: "`sett doctor` lists what was overwritten. A copy of Redis' volume, or an archive of `sett prune`, may have it.",
  });
}

export function isMalformed(error: unknown): boolean {
  return error instanceof SettError && error.code === "artefact-malformed";
}

export const overwrittenText = "overwritten by hand: it is not what was stored";

/** One sentence about these artefacts. */
export function overwrittenSentence(ids: readonly ArtefactId[]): string {
  const [only, ...others] = ids.slice(0, maxNamed).map(shortId);
  if (others.length === 0) return `Artefact ${only} was ${overwrittenText}.`;
  const more = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : "";
  return `Artefacts were overwritten by hand, and are not what was stored: ${[only, ...others].join(", ")}${more}.`;
}

const maxNamed = 5;
