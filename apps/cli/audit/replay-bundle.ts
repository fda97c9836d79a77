// Decides again what the log in a bundle says was decided. Whether the log is the one that was
// sealed is another question: apps/cli/audit/show-verified.ts.
import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { eventOf } from "../../../lib/blackboard/records/logged-event.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { FactDigest } from "../../../lib/model/fact.ts";
import { type BundleFiles, readArchive } from "../../../lib/proof/archive.ts";
import { ownPlace, readRecord, type SealedRecord } from "../../../lib/proof/formats.ts";
import { type Difference, Replay, type Replayed } from "../../../lib/replay/replay.ts";
import { openBundle } from "./bundle-file.ts";

/** `line`: in `records.jsonl`, from 1. `index`: that of its entry, where `entries` has one. */
export type PlacedDifference = Difference & { line: number; index: number | undefined };
export type BundleReplay = Omit<Replayed, "differences"> & { differences: PlacedDifference[] };

/** A tar archive has this at a certain place of its first block. */
const mark = { at: 257, text: "ustar" };

/** Whether the file is an archive of `sett audit export`, and none of `sett prune`. */
export async function isBundle(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    if (!(await file.stat()).isFile()) return false;
    const found = Buffer.alloc(mark.text.length);
    const { bytesRead } = await file.read(found, 0, found.length, mark.at);
    return bytesRead === found.length && found.toString("latin1") === mark.text;
  } finally {
    await file.close();
  }
}

/** Throws `usage` where it is no bundle. */
export async function replayBundle(file: string, cwd: string): Promise<BundleReplay> {
  await using bundle = await openBundle(resolve(cwd, file));
  const files = await readArchive(bundle);
  const problem =
    typeof files === "string" ? files : files.has("records.jsonl") ? "" : "It has no records.";
  if (typeof files === "string" || problem !== "")
    throw new SettError("usage", `${file} is no bundle that can be read. ${problem}`, {
      hint: "Name a file that `sett audit export` or `sett prune` has written.",
    });
  const decided = new DecidedAgain(await factsIn(files));
  for await (const lines of files.get("records.jsonl")?.lines() ?? [])
    for (const line of lines) {
      const record = recordIn(line);
      if (record !== undefined) decided.add(record);
    }
  return await decided.end(files);
}

/** Takes the records of a bundle in their order. */
export class DecidedAgain {
  readonly #replay: Replay;

  constructor(facts: ReadonlyMap<FactDigest, string>) {
    this.#replay = new Replay(facts);
  }

  add({ place, type, event }: SealedRecord): void {
    if (place !== ownPlace) this.#replay.add(eventOf(place, { type, event }));
  }

  /** Lines are looked for only where there is a difference. */
  async end(files: BundleFiles): Promise<BundleReplay> {
    const { differences, ...rest } = this.#replay.end();
    const wanted = new Set(differences.map(({ event }) => event));
    const lines = await placesIn(files, wanted);
    const indexes = await indexesIn(files, wanted);
    const placed = differences.map((one) => ({
      ...one,
      line: lines.get(one.event) ?? 0,
      index: indexes.get(one.event),
    }));
    return { ...rest, differences: placed };
  }
}

/** SHA-256 → text. */
export async function factsIn(files: BundleFiles): Promise<Map<FactDigest, string>> {
  const facts = new Map<FactDigest, string>();
  for (const [name, file] of files)
    if (name.startsWith("facts/"))
      facts.set(name.slice("facts/".length), (await file.whole()).toString());
  return facts;
}

function recordIn(line: Buffer): SealedRecord | undefined {
  return readRecord(line.toString("utf8", 0, line.length - 1));
}

async function placesIn(files: BundleFiles, wanted: ReadonlySet<string>) {
  const found = new Map<string, number>();
  let line = 0;
  for await (const some of (wanted.size > 0 && files.get("records.jsonl")?.lines()) || [])
    for (const bytes of some) {
      line += 1;
      const { place = "" } = recordIn(bytes) ?? {};
      if (wanted.has(place)) found.set(place, line);
    }
  return found;
}

/** A line is an index, `sett/1`, and a place. */
async function indexesIn(files: BundleFiles, wanted: ReadonlySet<string>) {
  const found = new Map<string, number>();
  for await (const some of (wanted.size > 0 && files.get("entries")?.lines()) || [])
    for (const bytes of some) {
      const [index = "", , place = ""] = bytes.toString("latin1").split(" ", 3);
      if (wanted.has(place)) found.set(place, Number(index));
    }
  return found;
}
