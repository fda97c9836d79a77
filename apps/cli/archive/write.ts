// Writes an archive: whole, on the disk, and read back, or not at all.
import { createHash } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { ArchiveHeader } from "./format.ts";
import { readArchive } from "./read.ts";

/** Characters. */
const writtenAtOnce = 1024 * 1024;

export type Archive = {
  /** One line. */
  add(line: object): Promise<void>;
};

/**
 * Resolves with the digest of what `fill` has added once it is safe. A file of that name is never written over. Where anything fails nothing is
 * left. Throws `archive-unusable`.
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
    // What is not read back as it was written must not be the only copy.
    const seal = await checked(path);
    if (seal !== digest) throw new SettError("archive-unusable", `${path} does not read as it was written.`);
    return digest;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    if (error instanceof SettError) throw error;
    throw new SettError("archive-unusable", `${path} could not be written: ${messageOf(error)}.`, {
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
      throw new SettError("archive-unusable", `${path} is here already, and is never written over.`, {
        hint: "Nothing was removed. Name another file with --to; what an interrupted `sett prune` has left goes into a second one, too.",
        cause: error,
      });
    }
    throw new SettError("archive-unusable", `${path} could not be made: ${messageOf(error)}.`, {
      hint: "Name another place with --to FILE.",
      cause: error,
    });
  }
}

async function write(file: FileHandle, header: ArchiveHeader, fill: (archive: Archive) => Promise<void>): Promise<string> {
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
