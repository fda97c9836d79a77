// The content that the records of a bundle name, and where it is read from.
import { Buffer } from "node:buffer";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { FactDigest } from "../../../lib/model/fact.ts";
import { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { readErasure } from "../../../lib/proof/erasures-in-log.ts";
import { goalOf, jsonObject, readRecord } from "../../../lib/proof/formats.ts";
import { artefactFile, idOfArtefact, namedContent } from "../../../lib/proof/named-content.ts";

export type ContentBoard = Pick<ReadingBoard, "readRecord" | "readFacts">;
/**
 * `files`: those that records name → the goals of these records, or `-`. `erased`: those whose
 * content a person has had erased.
 */
export type NamedFiles = { files: Map<string, Set<string>>; erased: Set<string> };

export function nothingNamed(): NamedFiles {
  return { files: new Map(), erased: new Set() };
}

export function noteNamed(named: NamedFiles, text: string): void {
  const record = readRecord(text);
  if (record === undefined) return;
  const body = jsonObject(record.event);
  const goal = goalOf(record.event, body);
  const { files, erased } = named;
  for (const { name } of namedContent(record, body))
    files.set(name, (files.get(name) ?? new Set()).add(goal));
  const erasure = readErasure(record, body);
  if (erasure !== undefined) erased.add(artefactFile(erasure.artefact));
}

/** Undefined where it is on no board any more. */
export async function contentOf(
  board: ContentBoard,
  name: string,
  goals: ReadonlySet<string>,
): Promise<Buffer | undefined> {
  const id = ArtefactId.safeParse(idOfArtefact(name));
  const content = id.success
    ? await board.readRecord(id.data)
    : await factOf(board, FactDigest.parse(name.slice("facts/".length)), goals);
  return content === undefined ? undefined : Buffer.from(content, id.success ? "base64" : "utf8");
}

async function factOf(
  board: ContentBoard,
  digest: FactDigest,
  goals: ReadonlySet<string>,
): Promise<string | undefined> {
  for (const goal of goals) {
    const found = (await board.readFacts([digest], GoalId.safeParse(goal).data)).get(digest);
    if (found !== undefined) return found;
  }
  return undefined;
}
