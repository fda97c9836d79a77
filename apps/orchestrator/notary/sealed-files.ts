// The files of the sealed log on the notary's volume: entries and records in files of 256 lines,
// full tiles of the tree, the entries of each goal, what others have seen of it, the keys, and the
// checkpoint that counts.
import type { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";

/** A tile has so many hashes, and a file so many lines. */
export const tileWidth = 256;

export type LineKind = "entries" | "records";
/**
 * The keys of notes and of attestations, those that take over next, and attestations by the digests
 * of their statements.
 */
export type FirstName = "key" | "attestation-key" | "next-keys" | `attestations/${string}`;
/** Whether the log has what others have seen of it. */
type AnchorState = "new" | "sealed";

export class SealedFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async readText(name: FirstName | "checkpoint"): Promise<string | undefined> {
    return await readFile(join(this.folder, name), "utf8").catch(unlessMissing(undefined));
  }

  /** Whether users who are not of its group may do anything with it. */
  async isOpenToOthers(name: "key" | "attestation-key"): Promise<boolean> {
    const { mode } = await stat(join(this.folder, name)).catch(unlessMissing({ mode: 0 }));
    return (mode & 0o007) !== 0;
  }

  /** Whole or not at all, also where the machine ends in between. */
  async writeText(
    name: Exclude<FirstName, "next-keys"> | "checkpoint",
    text: string,
  ): Promise<void> {
    await this.#writeWhole(join(this.folder, name), text);
  }

  /** It is no longer there after a crash either. */
  async removeText(name: "next-keys"): Promise<void> {
    await rm(join(this.folder, name), { force: true });
    await syncFolder(this.folder);
  }

  /** The same; where there is one before, also by another program, that one stays. */
  async createText(name: FirstName, text: string): Promise<void> {
    await createWhole(join(this.folder, name), text);
  }

  /** It has not been sealed yet. False where there is one of this size already. */
  async createAnchor(size: number, text: string): Promise<boolean> {
    if ((await this.readAnchor("sealed", size)) !== undefined) return false;
    return await createWhole(this.#anchorPath("new", size), text);
  }

  async readAnchor(state: AnchorState, size: number): Promise<string | undefined> {
    return await readFile(this.#anchorPath(state, size), "utf8").catch(unlessMissing(undefined));
  }

  /** Rising. */
  async sizesOfAnchors(state: AnchorState): Promise<number[]> {
    const names = await readdir(join(this.folder, "anchors", state)).catch(unlessMissing([]));
    const sizes = names.filter((name) => /^\d+$/.test(name)).map(Number);
    return sizes.toSorted((one, other) => one - other);
  }

  async settleAnchor(size: number, text: string): Promise<void> {
    await this.#writeWhole(this.#anchorPath("sealed", size), text);
    await rm(this.#anchorPath("new", size), { force: true });
  }

  /** Without line feeds; empty where there is no such file. What a crash has cut is no line. */
  async readLines(kind: LineKind, file: number): Promise<string[]> {
    const text = await readFile(this.#pathOf(kind, file), "utf8").catch(unlessMissing(""));
    return text.split("\n").slice(0, -1);
  }

  /** Whether there is such a file of either kind, be it a part of a line alone. */
  async hasAny(file: number): Promise<boolean> {
    const kinds: LineKind[] = ["entries", "records"];
    const found = kinds.map((kind) =>
      stat(this.#pathOf(kind, file)).catch(unlessMissing(undefined)),
    );
    return (await Promise.all(found)).some((one) => one !== undefined);
  }

  /** `lines` without line feeds. They are on disk then. */
  async appendLines(kind: LineKind, file: number, lines: readonly string[]): Promise<void> {
    await append(this.#pathOf(kind, file), lines.map((line) => `${line}\n`).join(""));
  }

  /** What comes behind the first lines goes. */
  async cutLines(kind: LineKind, file: number, lines: readonly string[]): Promise<void> {
    const path = this.#pathOf(kind, file);
    if (lines.length === 0) return await rm(path, { force: true });
    await this.#writeWhole(path, lines.map((line) => `${line}\n`).join(""));
  }

  /** The hashes of a full tile, one after the other. */
  async readTile(level: number, tile: number): Promise<Buffer> {
    return await readFile(this.#tilePath(level, tile));
  }

  async writeTile(level: number, tile: number, hashes: Buffer): Promise<void> {
    await this.#writeWhole(this.#tilePath(level, tile), hashes);
  }

  /** The indexes of the entries of a goal, rising. They may go beyond the checkpoint. */
  async readIndexes(goal: string): Promise<number[]> {
    const text = await readFile(this.#goalPath(goal), "utf8").catch(unlessMissing(""));
    return text.split("\n").slice(0, -1).map(Number);
  }

  async appendIndexes(goal: string, indexes: readonly number[]): Promise<void> {
    await append(this.#goalPath(goal), indexes.map((index) => `${index}\n`).join(""));
  }

  async writeIndexes(goal: string, indexes: readonly number[]): Promise<void> {
    await this.#writeWhole(this.#goalPath(goal), indexes.map((index) => `${index}\n`).join(""));
  }

  #anchorPath(state: AnchorState, size: number): string {
    return join(this.folder, "anchors", state, size.toString());
  }

  #goalPath(goal: string): string {
    return join(this.folder, "goals", goal === "-" ? "none" : goal.slice(0, 2), goal);
  }

  #pathOf(kind: LineKind, file: number): string {
    return join(this.folder, kind, numbered(file));
  }

  #tilePath(level: number, tile: number): string {
    return join(this.folder, "tile", level.toString(), numbered(tile));
  }

  async #writeWhole(path: string, content: string | Buffer): Promise<void> {
    await makeFolder(dirname(path));
    const draft = `${path}.draft`;
    await writeFile(draft, content, { mode: 0o600, flush: true });
    await rename(draft, path);
    await syncFolder(dirname(path));
  }
}

/** False where another program has written it before: that one stays. */
async function createWhole(path: string, text: string): Promise<boolean> {
  await makeFolder(dirname(path));
  const draft = `${path}.${randomUUID()}.draft`;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    return await link(draft, path).then(() => true, unless("EEXIST", false));
  } finally {
    await rm(draft, { force: true });
    await syncFolder(dirname(path));
  }
}

async function append(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path));
  await using file = await open(path, "a", 0o600);
  const isNew = (await file.stat()).size === 0;
  await file.appendFile(text);
  await file.sync();
  if (isNew) await syncFolder(dirname(path));
}

/** With those above it, each of which is on disk then. */
async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  for (let at = path; at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at));
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}

/** As c2sp.org/tlog-tiles names tiles, so that no folder has more than a thousand: `x001/234`. */
function numbered(count: number): string {
  const last = (count % 1_000).toString().padStart(3, "0");
  let [path, rest] = [last, Math.floor(count / 1_000)];
  for (; rest > 0; rest = Math.floor(rest / 1_000))
    path = `x${(rest % 1_000).toString().padStart(3, "0")}/${path}`;
  return path;
}

/** For `catch`: this value where a file is missing. */
function unlessMissing<Value>(value: Value): (error: unknown) => Value {
  return unless("ENOENT", value);
}

function unless<Value>(code: string, value: Value): (error: unknown) => Value {
  return (error) => {
    if ((error as { code?: unknown }).code === code) return value;
    throw error;
  };
}
