// Reads artefacts for people and compares each with the digest that the indexes have of it. A
// password of Redis is enough to write over a record; a person must not approve, archive or believe
// one without a word about it.
import { type Artefact, type ArtefactHead, erasureIn } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import type { ArtefactId } from "../../model/ids.ts";
import { erasedText } from "../../words/erased.ts";
import { shortId } from "../../words/short-id.ts";
import type { Suggest } from "../text/suggest.ts";
import { type KnownArtefacts, readHeads } from "./artefacts.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** `overwritten`: it is not what was stored. */
export type Checked<Read> = Read & { overwritten?: true };
export type CheckedHeads = {
  /** The results have the order of the ids. */
  heads: Checked<ArtefactHead>[];
  /**
   * Artefacts whose fields a person has damaged, or that were removed by hand: nothing can be shown
   * of them.
   */
  unreadable: ArtefactId[];
};

type Board = Pick<ReadingBoard, "readHeads" | "findOverwritten">;

/** Reads the heads of these artefacts. A damaged one keeps none of the others from being read. */
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

/** Reads as `readHeads` does, also where one of them is malformed: that one is left out. */
export async function readReadable(
  board: Pick<ReadingBoard, "readHeads">,
  ids: readonly ArtefactId[],
  known: KnownArtefacts = new Map(),
): Promise<ArtefactHead[]> {
  try {
    return await readHeads(board, ids, known);
  } catch (error) {
    if (!isMalformed(error)) throw error;
    for (const id of ids) if (!known.has(id)) await readDamaged(board, id, known);
    return ids.flatMap((id) => known.get(id) ?? []);
  }
}

async function readDamaged(
  board: Pick<ReadingBoard, "readHeads">,
  id: ArtefactId,
  known?: KnownArtefacts,
): Promise<ArtefactHead | undefined> {
  try {
    return (await readHeads(board, [id], known))[0];
  } catch (error) {
    if (isMalformed(error)) return undefined;
    throw error;
  }
}

/** A look at a state or a log must not become a reading of all that was ever made. */
const maxComparedBytes = 64 * 1024;

/**
 * Which of these are not what was stored, of those with short payloads: for a view that shows only
 * a line of each. `sett doctor` compares all.
 */
export async function findShortOverwritten(
  board: Pick<ReadingBoard, "findOverwritten">,
  ids: readonly ArtefactId[],
): Promise<Set<ArtefactId>> {
  if (ids.length === 0) return new Set();
  return new Set(await board.findOverwritten(ids, { maxPayloadBytes: maxComparedBytes }));
}

/**
 * Undefined where there is none. Throws `artefact-malformed` for one that was damaged or removed by
 * hand.
 */
export async function readCheckedArtefact(
  board: Pick<ReadingBoard, "readArtefact" | "findOverwritten">,
  id: ArtefactId,
): Promise<Checked<Artefact> | undefined> {
  const [artefact, overwritten] = await Promise.all([
    board.readArtefact(id),
    board.findOverwritten([id]),
  ]);
  if (overwritten.length === 0) return artefact;
  if (artefact !== undefined) return { ...artefact, overwritten: true };
  throw new SettError("artefact-malformed", unreadableSentence([id]), {
    hint: remedyOf("sett doctor"),
  });
}

/**
 * Reads an artefact for a person who acts on it. Throws `request-refused` for one that was erased,
 * or overwritten, whose maker did not write it so, and as above for one that cannot be read. The
 * next step is to put it back, or to end its goal.
 */
export async function readSound(
  board: Pick<ReadingBoard, "readArtefact" | "findOverwritten">,
  id: ArtefactId,
  suggest: Suggest,
): Promise<Artefact | undefined> {
  const artefact = await readCheckedArtefact(board, id);
  const erased = erasureIn(artefact?.metadata ?? {});
  if (erased !== undefined)
    throw new SettError(
      "request-refused",
      `Artefact ${shortId(id)} was ${erasedText(erased)}. Nothing was done.`,
      { hint: `Its place in the goal: ${suggest(`graph ${shortId(artefact?.goal_id ?? id)}`)}` },
    );
  if (artefact?.overwritten !== true) return artefact;
  throw new SettError("request-refused", `${overwrittenSentence([id])} Nothing was done.`, {
    hint: `${remedyOf(suggest("doctor"))} To end its goal: ${suggest(`cancel ${shortId(artefact.goal_id)}`)}`,
  });
}

/**
 * Says what a person can do about records that were changed by hand. `doctor`: the command as it is
 * to be typed.
 */
export function remedyOf(doctor: string): string {
  return `\`${doctor}\` lists what was changed by hand. A copy of Redis' volume, or an archive of \`sett prune\`, may have it as it was stored.`;
}

export function isMalformed(error: unknown): boolean {
  return error instanceof SettError && error.code === "artefact-malformed";
}

export const overwrittenText = "overwritten by hand: it is not what was stored";

/** Returns one sentence about these artefacts. */
export function overwrittenSentence(ids: readonly ArtefactId[]): string {
  const [only, ...others] = ids.slice(0, maxNamed).map(shortId);
  if (others.length === 0) return `Artefact ${only} was ${overwrittenText}.`;
  const more = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : "";
  return `Artefacts were overwritten by hand, and are not what was stored: ${[only, ...others].join(", ")}${more}.`;
}

/** Returns one sentence about artefacts of which nothing can be shown. */
export function unreadableSentence(ids: readonly ArtefactId[]): string {
  const named = ids.slice(0, maxNamed).map(shortId).join(", ");
  const more = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : "";
  if (ids.length === 1)
    return `Artefact ${named} cannot be shown: its record, or a field of it, was changed by hand.`;
  return `Artefacts ${named}${more} cannot be shown: their records, or fields of them, were changed by hand.`;
}

const maxNamed = 5;
