// Writes an archive completely, to the disk, and reads it back. If a step fails, no file stays.
import { createHash } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { clauseOf, SettError } from "../../../lib/model/errors.ts";
import type { ArchiveHeader } from "./format.ts";
import { readArchive } from "./read.ts";

/** Characters. */
const writtenAtOnce = 1024 * 1024;

export type Archive = {
  /** One line. */
  add(line: object): Promise<void>;
};

/**
 * Resolves with the digest of the content once the file is safe. Never overwrites a file, and
 * leaves none where a step fails. Throws `archive-unusable`.
 */
export async function writeArchive(
  path: string,
  header: ArchiveHeader,
  fill: (archive: Archive) => Promise<void>,
): Promise<string> {
  const file = await create(path);
  try {
    const digest = await write(file, header, fill);
    await file.close();
    await syncFolder(dirname(path));
    // The archive will be the only copy, so it must read back as it was written.
    const seal = await checked(path);
    if (seal !== digest) {
      throw new SettError("archive-unusable", `${path} differs from what sett wrote.`, {
        hint: "Nothing was removed. Is the disk broken? Name another place with --to FILE.",
      });
    }
    return digest;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    if (error instanceof SettError) throw error;
    throw new SettError("archive-unusable", `${path} could not be written: ${clauseOf(error)}.`, {
      hint: "Nothing was removed. Name another place with --to FILE.",
      cause: error,
    });
  }
}

async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new SettError(
        "archive-unusable",
        `${path} exists already, and sett does not overwrite it.`,
        {
          hint: "Nothing was removed. Name another file with --to. After an interrupted `sett prune`, use a second file, too.",
          cause: error,
        },
      );
    }
    throw new SettError("archive-unusable", `${path} could not be created: ${clauseOf(error)}.`, {
      hint: "Name another place with --to FILE.",
      cause: error,
    });
  }
}

async function write(
  file: FileHandle,
  header: ArchiveHeader,
  fill: (archive: Archive) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  let [text, lines] = ["", 0];
  const flush = async () => {
    hash.update(text);
    await file.writeFile(text);
    text = "";
  };
  const add = async (line: object) => {
    text += `${JSON.stringify(line)}\n`;
    lines += 1;
    if (text.length >= writtenAtOnce) await flush();
  };
  await add(header);
  await fill({ add });
  await flush();
  const sha256 = hash.digest("hex");
  await file.writeFile(`${JSON.stringify({ seal: { lines, sha256 } })}\n`);
  await file.sync();
  return sha256;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

async function checked(path: string): Promise<string | undefined> {
  let digest: string | undefined;
  for await (const line of readArchive(path)) if ("seal" in line) digest = line.seal.sha256;
  return digest;
}
