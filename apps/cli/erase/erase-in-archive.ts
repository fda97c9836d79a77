// Erases artefacts in a file of `sett prune`: it is written anew beside the old one, and takes its
// place once the log says who has erased what, and the instance knows the new file.
import { rename, rm } from "node:fs/promises";
import { basename } from "node:path";
import type { EraseBoard } from "../../../lib/blackboard/port/erase.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { ArtefactMetadata } from "../../../lib/model/artefact.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { ArchiveHeader, ArchiveLine } from "../archive/format.ts";
import { readJson } from "../archive/read.ts";
import { writeArchive } from "../archive/write.ts";
import type { ErasableBoard } from "./erase-record.ts";

type Order = Parameters<EraseBoard["eraseArtefacts"]>[0];

/** `archived`: the file at `path`, as a board. */
export function erasableArchive(
  live: PersonBlackboard,
  archived: ReadingBoard,
  path: string,
): ErasableBoard {
  return {
    // The file is written once.
    atOnce: Number.POSITIVE_INFINITY,
    instance: live.instance,
    listAgents: () => live.listAgents(),
    time: () => live.time(),
    readRecord: (id) => archived.readRecord(id),
    eraseArtefacts: (order) => eraseInFile(live, path, order),
  };
}

/**
 * An interrupted run leaves the old file or the new one, and the next run does the rest. Throws
 * `archive-unusable`.
 */
async function eraseInFile(
  live: PersonBlackboard,
  path: string,
  { erasures, actor }: Order,
): Promise<{ outcome: "erased"; count: number }> {
  const metadata = new Map(erasures.map((one) => [one.id, one.metadata]));
  const header = await headerOf(path);
  if (header.instance !== live.instance)
    throw new SettError("archive-unusable", `${path} is of ${header.instance}.`, {
      hint: `Nothing was erased. Name that instance: --name ${header.instance}`,
    });
  const draft = `${path}.erasing`;
  await rm(draft, { force: true });
  const sha256 = await writeArchive(draft, header, async (archive) => {
    let isHeader = true;
    for await (const line of readJson(path)) {
      const read = isHeader ? undefined : ArchiveLine.safeParse(line).data;
      const isOurs = isHeader || (read !== undefined && "seal" in read);
      isHeader = false;
      if (!isOurs) await archive.add(erasedLine(line as object, read, metadata));
    }
  }).catch((error: unknown) => {
    throw new SettError("archive-unusable", messageOf(error), {
      hint: "Nothing was erased. Is there room beside the file?",
      cause: error,
    });
  });
  const events = erasures.map(({ event }) => event);
  const last = events.pop();
  for (const event of events) await live.logEvent(event, actor);
  const { created_at } = header;
  const archive = { file: basename(path), sha256, created_at };
  if (last !== undefined) await live.recordArchive(archive, new Map(), last, actor);
  await rename(draft, path);
  return { outcome: "erased", count: erasures.length };
}

async function headerOf(path: string): Promise<ArchiveHeader> {
  const { value } = await readJson(path).next();
  return ArchiveHeader.parse(value);
}

/** The blackboard leaves the same (erase-artefacts.lua). Other lines stay as they are. */
function erasedLine(
  line: object,
  read: ArchiveLine | undefined,
  metadata: ReadonlyMap<string, ArtefactMetadata>,
): object {
  if (read === undefined || !("artefact" in read)) return line;
  const { artefact } = read;
  const left = metadata.get(artefact.id);
  if (left === undefined) return line;
  const isApproval = artefact.structural_type === "Review" && artefact.payload === "{}";
  const payload = isApproval ? "{}" : "";
  return { artefact: { ...artefact, payload, metadata: left }, erased: true };
}
