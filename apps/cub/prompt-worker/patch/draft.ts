// The files that a patch changes, before any of them is written: what each part of the patch makes
// of them, and then all of it, or nothing.
import { Buffer } from "node:buffer";
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { readTextFile, type TextFile, textFileOf } from "../tools/text-file.ts";
import { isLink, placeOf, type Workspace } from "../workspace.ts";

type Place = TextFile["place"];
/** `after`: its bytes in latin1. Undefined before or after: there is no such file then. */
type Entry = {
  place: Place;
  before: { bytes: Buffer; mode: number } | undefined;
  after: { bytes: string; mode: number } | undefined;
};

/** `problem`: a sentence for the model. */
type Found<Value> = Value | { problem: string };

const plainMode = 0o644;
const permissions = 0o777;
const runBits = 0o111;
const maxRemovedBytes = 50_000_000;

export class Draft {
  readonly #workspace: Workspace;
  /** By the real path. */
  readonly #entries = new Map<string, Entry>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** The file as the parts of the patch so far have made it. */
  async read(path: string): Promise<Found<TextFile>> {
    const place = await this.#placeOf(path);
    if ("problem" in place) return place;
    const entry = this.#entries.get(keyOf(place));
    if (entry?.after !== undefined) return textFileOf(place, entry.after.bytes);
    if (entry !== undefined) return { problem: `This patch has deleted ${place.shown}.` };
    const read = await readTextFile(this.#workspace, path);
    if (!read.ok) return { problem: read.reason };
    await this.#look(place);
    return read.file;
  }

  change({ place, mark }: TextFile, text: string, isExecutable?: boolean): void {
    const entry = this.#entries.get(keyOf(place));
    if (entry?.after === undefined) return;
    entry.after = { bytes: mark + text, mode: modeOf(entry.after.mode, isExecutable) };
  }

  /** Returns the place of the new file. */
  async add(path: string, bytes: string, isExecutable?: boolean): Promise<Found<Place>> {
    const place = await this.#placeOf(path);
    if ("problem" in place) return place;
    const entry = await this.#look(place);
    if ("problem" in entry) return entry;
    if (entry.after !== undefined)
      return { problem: `${place.shown} is there already. Change it, or use \`write_file\`.` };
    entry.after = { bytes, mode: modeOf(entry.before?.mode ?? plainMode, isExecutable) };
    return place;
  }

  async delete(path: string): Promise<Found<Place>> {
    const place = await this.#placeOf(path);
    if ("problem" in place) return place;
    if (await isLink(this.#workspace, path))
      return { problem: `${JSON.stringify(path)} is a symbolic link. Use \`run\` to remove it.` };
    const entry = await this.#look(place);
    if ("problem" in entry) return entry;
    if (entry.after === undefined) return { problem: `There is no file ${place.shown}.` };
    entry.after = undefined;
    return place;
  }

  /** The file with what this patch has changed in it. To its own name it stays. */
  async move(file: TextFile, path: string, to: string): Promise<Found<Place>> {
    const moved = this.#entries.get(keyOf(file.place))?.after;
    const deleted = await this.delete(path);
    if ("problem" in deleted) return deleted;
    return await this.add(to, moved?.bytes ?? "", ((moved?.mode ?? 0) & runBits) !== 0);
  }

  /** Throws what a write threw, after everything is as it was. */
  async write(): Promise<void> {
    const done: Entry[] = [];
    try {
      for (const entry of this.#entries.values()) {
        done.push(entry);
        await writeAfter(entry);
      }
    } catch (error) {
      for (const entry of done.toReversed()) await writeBefore(entry).catch(() => {});
      throw error;
    }
  }

  async #placeOf(path: string): Promise<Found<Place>> {
    const place = await placeOf(this.#workspace, path, "write");
    return place.ok ? place : { problem: place.reason };
  }

  async #look(place: Place): Promise<Found<Entry>> {
    const known = this.#entries.get(keyOf(place));
    if (known !== undefined) return known;
    const found = await stat(place.path).catch(() => undefined);
    if (found !== undefined && !found.isFile()) return { problem: `${place.shown} is not a file.` };
    if (found !== undefined && found.size > maxRemovedBytes)
      return { problem: `${place.shown} is too large for this tool. Use \`run\`.` };
    const before = found && {
      bytes: await readFile(place.path),
      mode: found.mode & permissions,
    };
    const after = before && { bytes: before.bytes.toString("latin1"), mode: before.mode };
    const entry = { place, before, after };
    this.#entries.set(keyOf(place), entry);
    return entry;
  }
}

function keyOf({ path }: Place): string {
  return typeof path === "string" ? Buffer.from(path).toString("latin1") : path.toString("latin1");
}

function modeOf(mode: number, isExecutable: boolean | undefined): number {
  if (isExecutable === undefined) return mode;
  return isExecutable ? mode | runBits : mode & ~runBits;
}

async function writeAfter({ place, before, after }: Entry): Promise<void> {
  if (after === undefined) {
    if (before !== undefined) await rm(place.path);
    return;
  }
  const bytes = Buffer.from(after.bytes, "latin1");
  if (before?.bytes.equals(bytes) !== true) {
    await mkdir(place.folder, { recursive: true });
    await writeFile(place.path, bytes);
  }
  if (after.mode !== (before?.mode ?? plainMode)) await chmod(place.path, after.mode);
}

async function writeBefore({ place, before }: Entry): Promise<void> {
  if (before === undefined) return await rm(place.path, { force: true });
  await writeFile(place.path, before.bytes);
  await chmod(place.path, before.mode);
}
