// Compares an archive with what the instance at hand knows of it. The last line of a file shows
// damage, and not a change by a person who has computed that line anew.
import { basename } from "node:path";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { KnownArchive } from "../../../lib/blackboard/port/prune.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ArchiveHeader } from "../archive/format.ts";
import { readArchive } from "../archive/read.ts";
import type { Shell } from "../terminal/shell.ts";
import { findPlace } from "./place.ts";
import { connect } from "./session.ts";

/** An instance that does not answer must not keep a person from reading a file. */
const patienceMs = 3_000;

/**
 * Throws `archive-unusable` for a file of the instance's own that is not what `sett prune` wrote,
 * and says so where it cannot be known: where no instance answers, or another one. `name`: the
 * instance of `--name`, if any.
 */
export async function requireKnown(
  path: string,
  name: string | undefined,
  shell: Shell,
): Promise<void> {
  const { header, sha256 } = await identityOf(path);
  const known = await archivesAtHand(name, shell);
  if (known?.archives.some((archive) => archive.sha256 === sha256)) return;
  const meant = known?.archives.find((archive) => isMeant(archive, path, header));
  if (known !== undefined && meant !== undefined)
    throw new SettError(
      "archive-unusable",
      `${path} was changed after it was written: it has the digest ${sha256}, and ${known.instance} has ${meant.sha256} on record.`,
      { hint: "If you have another copy of it, use that one." },
    );
  if (header.instance !== known?.instance)
    shell.messages.note(
      `It was not compared with what ${oneLine(header.instance)} has on record, because no instance of that name answers here: only its own last line vouches for it (sha256 ${sha256}).`,
    );
  else
    shell.messages.note(
      `${known.instance} has no record of this archive: an earlier instance of this name may have written it.`,
    );
}

function isMeant({ file, created_at }: KnownArchive, path: string, header: ArchiveHeader): boolean {
  return created_at === header.created_at || file === basename(path);
}

/** Reads the file to its end. Throws `archive-unusable`. */
async function identityOf(path: string): Promise<{ header: ArchiveHeader; sha256: string }> {
  let header: ArchiveHeader | undefined;
  let sha256 = "";
  for await (const line of readArchive(path)) {
    if ("header" in line) header = line.header;
    else if ("seal" in line) sha256 = line.seal.sha256;
  }
  if (header === undefined) throw new SettError("archive-unusable", `${path} is empty.`);
  return { header, sha256 };
}

/** Undefined where no instance is found, or none answers. */
async function archivesAtHand(
  name: string | undefined,
  shell: Shell,
): Promise<{ instance: string; archives: KnownArchive[] } | undefined> {
  let board: PersonBlackboard | undefined;
  try {
    board = await connect(await findPlace(shell, name), patienceMs);
    return { instance: board.instance, archives: await board.listArchives() };
  } catch (error) {
    if (error instanceof SettError) return undefined;
    throw error;
  } finally {
    await board?.[Symbol.asyncDispose]();
  }
}
