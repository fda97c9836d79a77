// The last checkout of a working copy, kept beside it for the next program that works there: a cub
// that was started again, or the next worker of a slot, then writes only what differs.
//
// A command can write wherever its cub can. So what is kept has a seal, which needs a key that no
// command can read. What is older, and has its seal, is as good: all that has changed in the
// workspace since has another time there, which no program can set.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { link, lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KeptNote } from "../../model/layer.ts";
import { readAt, UntrustedFolder } from "../run/untrusted-folder.ts";
import { type Checkout, checkoutOf, indexesOf, noteOf } from "./layer.ts";

const [folderName, noteFile, sealFile, indexFile] = ["sett-checkout", "note", "seal", "index"];
/** A note has the names of a commit's folders. */
const maxNoteBytes = 64 * 1024 * 1024;
const sealBytes = 32;

/**
 * Keeps the checkout in the workspace's repository, which has its index. The next one there
 * replaces it.
 */
export async function keepCheckout(
  workspaceDir: string,
  key: Uint8Array,
  checkout: Checkout,
): Promise<void> {
  const repository = join(workspaceDir, ".git");
  const folder = join(repository, folderName);
  await mkdir(folder);
  const indexes: KeptNote["indexes"] = {};
  for (const [number, { index }] of indexesOf(checkout)) {
    indexes[number] = { bytes: index.length, sha256: sha256(index) };
    const file = join(folder, indexFile + number);
    // A git never writes into its index: it replaces it.
    if (number === "") await link(join(repository, "index"), file);
    else await writeFile(file, index);
  }
  const root = await rootOf(workspaceDir);
  const kept: KeptNote = { root, note: noteOf(checkout), indexes };
  const note = Buffer.from(JSON.stringify(kept));
  await writeFile(join(folder, noteFile), note);
  await writeFile(join(folder, sealFile), sealOf(key, note));
}

/**
 * Undefined where none was kept in this workspace, or anything but a program with the key has
 * written it. Never rejects.
 */
export async function readKept(
  workspaceDir: string,
  key: Uint8Array,
): Promise<Checkout | undefined> {
  try {
    using workspace = UntrustedFolder.open(workspaceDir);
    using repository = workspace?.folder(".git");
    using folder = repository?.folder(folderName);
    const seal = folder && bytesIn(folder, sealFile, sealBytes);
    const text = folder && bytesIn(folder, noteFile, maxNoteBytes);
    if (folder === undefined || seal === undefined || text === undefined) return undefined;
    if (seal.length !== sealBytes || !timingSafeEqual(seal, sealOf(key, text))) return undefined;
    const { root, note, indexes } = KeptNote.parse(JSON.parse(text.toString("utf8")));
    if (root !== (await rootOf(workspaceDir))) return undefined;
    return checkoutOf(note, (number) => {
      const { bytes = 0, sha256: expected } = indexes[number] ?? {};
      const index = bytesIn(folder, indexFile + number, bytes);
      if (index === undefined || sha256(index) !== expected) throw new Error("It was changed.");
      return index;
    });
  } catch {
    return undefined;
  }
}

function bytesIn(folder: UntrustedFolder, name: string, maxBytes: number): Buffer | undefined {
  using file = folder.file(name, maxBytes);
  return file && readAt(file.fd, 0, file.size);
}

/** Another volume of the same file system has another one. */
async function rootOf(workspaceDir: string): Promise<string> {
  return String((await lstat(workspaceDir, { bigint: true })).ino);
}

function sealOf(key: Uint8Array, note: Uint8Array): Buffer {
  return createHmac("sha256", key).update(note).digest();
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
