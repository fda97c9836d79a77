// Reads a back-up, and refuses one that is not as `sett backup` has written it.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { z } from "zod";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { parseJson } from "../../../lib/model/json.ts";
import type { VolumeFile } from "../../../lib/runtime/port.ts";
import {
  archiveEnd,
  BrokenArchive,
  blockBytes,
  paddingOf,
  readHeader,
  readTar,
  type TarEntry,
} from "../../../lib/runtime/tar.ts";
import { listName, namesIn } from "./append-files.ts";
import {
  blackboardFolder,
  isKnownName,
  keysFolder,
  Manifest,
  manifestName,
  proofFolder,
  recordFolder,
  resultsName,
  Seal,
  sealName,
} from "./format.ts";

/** `bytes`: of the whole file. `recorded`: the files of the record, below its folder.
 * `keys`: the names of those that it has. `isSealed`: it has the notary's log and key. */
export type Backup = {
  path: string;
  manifest: Manifest;
  sha256: string;
  bytes: number;
  hasResults: boolean;
  recorded: string[];
  isSealed: boolean;
  keys: string[];
};

/** A manifest, a seal and Redis' list of its files are far smaller. */
const maxTextBytes = 1024 * 1024;

/** The first bytes of Redis' files in its own format. */
const magic = Buffer.from("REDIS0");

const Newer = z.object({ sett_backup: z.number().gt(1), version: z.string() });

/**
 * Reads all of the file, and compares it with its seal. Nothing of it is written anywhere. Throws
 * `backup-unusable` and `interrupted`.
 */
export async function checkBackup(path: string, signal: AbortSignal): Promise<Backup> {
  try {
    return await check(path, signal);
  } catch (error) {
    if (error instanceof SettError) throw error;
    if (error instanceof BrokenArchive) throw notWhole(path, error);
    throw new SettError("backup-unusable", `${path} cannot be read: ${messageOf(error)}`, {
      hint: "Name a file that `sett backup` has written.",
      cause: error,
    });
  }
}

async function check(path: string, signal: AbortSignal): Promise<Backup> {
  const stats = await stat(path);
  if (!stats.isFile()) throw foreign(path, "it is no file");
  await requireManifest(path);
  const listing = createHash("sha256");
  const seen = new Set<string>();
  let [bytes, list, manifest] = [archiveEnd.length, "", undefined as Manifest | undefined];
  let seal: Seal | undefined;
  for await (const entry of entriesOf(path)) {
    const { name, size } = entry;
    if (entry.kind !== "0" || !isKnownName(name) || seen.has(name) || seal !== undefined)
      throw foreign(path, `it has an entry that no back-up has: ${JSON.stringify(name)}`);
    seen.add(name);
    bytes += blockBytes + size + paddingOf(size);
    if (name === sealName) {
      seal = Seal.safeParse(await jsonOf(path, entry)).data;
      continue;
    }
    const { sha256, text } = await contentOf(entry, signal);
    if (name === manifestName) manifest = manifestOf(path, text);
    if (name === `${blackboardFolder}${listName}`) list = text;
    if (name.endsWith(".base.rdb") && !text.startsWith(magic.toString()))
      throw foreign(path, `${name} is no file of Redis`);
    listing.update(`${sha256}  ${name}\n`);
  }
  const sha256 = listing.digest("hex");
  if (manifest === undefined || seal === undefined || bytes !== stats.size) throw notWhole(path);
  const files = namesIn(list);
  const hasFiles = files.every((name) => seen.has(`${blackboardFolder}${name}`));
  if (seal.sha256 !== sha256 || seal.entries !== seen.size - 1 || files.length === 0 || !hasFiles)
    throw notWhole(path);
  const below = (folder: string) => [...seen].filter((name) => name.startsWith(folder));
  const hasResults = seen.has(resultsName);
  const keys = below(keysFolder).map((name) => name.slice(keysFolder.length));
  const recorded = below(recordFolder).map((name) => name.slice(recordFolder.length));
  const isSealed = below(proofFolder).length > 0;
  return { path, manifest, sha256, bytes, hasResults, recorded, isSealed, keys };
}

/** By the first entry alone: what else is in another file is not looked at. */
async function requireManifest(path: string): Promise<void> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, 0);
  const header = bytesRead < blockBytes ? undefined : readHeader(buffer);
  const isOurs = header !== "end" && header?.name === manifestName && header.size <= maxTextBytes;
  if (!isOurs) throw foreign(path, "it does not begin with a manifest");
}

function manifestOf(path: string, text: string): Manifest {
  const value = parseJson(text);
  const found = Manifest.safeParse(value);
  if (found.success) return found.data;
  const newer = Newer.safeParse(value);
  if (!newer.success) throw foreign(path, "its manifest is not one of a back-up");
  const message = `${path} is a back-up in a newer format, by sett ${newer.data.version}.`;
  throw new SettError("backup-unusable", message, { hint: "Restore it with that version." });
}

/** `text`: the beginning of it, and all where it is a text. */
async function contentOf(
  { name, content }: TarEntry,
  signal: AbortSignal,
): Promise<{ sha256: string; text: string }> {
  const hash = createHash("sha256");
  const first: Uint8Array[] = [];
  const kept = /(?:json|manifest)$/.test(name) ? maxTextBytes : magic.length;
  let length = 0;
  for await (const chunk of content) {
    if (signal.aborted) throw new SettError("interrupted", "Interrupted, and nothing has changed.");
    hash.update(chunk);
    if (length < kept) first.push(chunk);
    length += chunk.length;
  }
  return { sha256: hash.digest("hex"), text: Buffer.concat(first).toString("utf8") };
}

async function jsonOf(path: string, { name, size, content }: TarEntry): Promise<unknown> {
  if (size > maxTextBytes) throw foreign(path, `its ${name} is too large`);
  return parseJson(Buffer.concat(await Array.fromAsync(content)).toString("utf8"));
}

/**
 * The entries of a checked back-up below a folder, or the one of that name, in their order.
 * `isMeant`: of a name below that folder.
 */
export async function* filesIn(
  path: string,
  start: string,
  isMeant: (name: string) => boolean = () => true,
): AsyncGenerator<VolumeFile> {
  for await (const { name, size, content } of entriesOf(path)) {
    const below = name.slice(start.length);
    if (name.startsWith(start) && isMeant(below)) yield { path: below, size, content };
  }
}

function entriesOf(path: string): AsyncGenerator<TarEntry> {
  return readTar(createReadStream(path, { highWaterMark: 1024 * 1024 }));
}

function foreign(path: string, reason: string): SettError {
  return new SettError("backup-unusable", `${path} is no back-up of a sett: ${reason}.`, {
    hint: "Nothing has changed. Name a file that `sett backup` has written.",
  });
}

function notWhole(path: string, cause?: unknown): SettError {
  const message = `${path} is not as it was written: it was cut, changed, or never completed.`;
  return new SettError("backup-unusable", message, {
    hint: "Nothing has changed. Take another copy of it, or an earlier back-up.",
    cause,
  });
}
