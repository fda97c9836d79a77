// Verifies a bundle: what it shows, and each problem by its place, as
// docs/reference/proof.md#what-a-verifier-does says. Pure: it reads no file and asks no network.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  type Checkpoint,
  type Entry,
  entryOf,
  entryText,
  type GoalNote,
  readCheckpoint,
  readCount,
  readEntry,
  readGoalNote,
  readProof,
  readRecord,
  type SealedRecord,
} from "./formats.ts";
import { isSameHash, leafHash, nodeHash, rootByProof, rootOf } from "./merkle.ts";
import { isNameOfContent, namedContent } from "./named-content.ts";
import { openNote, type VerifierKey } from "./note.ts";

type Code =
  | "missing"
  | "unknown-file"
  | "signature"
  | "malformed"
  | "origin"
  | "size"
  | "order"
  | "index"
  | "other-goal"
  | "number"
  | "count"
  | "record"
  | "no-record"
  | "proof"
  | "root"
  | "artefact"
  | "fact";

/** `place`: a file of the bundle, with `:` and the number of a line where it is about one. */
export type Problem = { code: Code | "unreadable"; place: string; text: string };

/** By their names in the bundle. */
export type BundleFiles = ReadonlyMap<string, Uint8Array>;

/** `checkpoint` and `goal` are undefined where nothing shows them. */
export type Shown = {
  checkpoint: Checkpoint | undefined;
  goal: GoalNote | undefined;
  entries: number;
  records: SealedRecord[];
  problems: Problem[];
};

type IndexedEntry = Entry & { index: number; line: number };
type Report = (code: Code, place: string, text: string) => void;

export async function verifyBundle(files: BundleFiles, key: VerifierKey): Promise<Shown> {
  const problems: Problem[] = [];
  const report: Report = (code, place, text) => problems.push({ code, place, text });
  const checkpoint = checkpointIn(files, key, report);
  const goal = goalIn(files, key, { checkpoint, report });
  const lines = linesOf(files, "entries", report);
  const entries = entriesIn(lines, report);
  const isOfGoal = files.has("goal") || hasProofs(files);
  const about = { files, checkpoint, goal, isOfGoal, report };
  checkEntries(entries, lines.length, about);
  if (isOfGoal) checkProofs(entries, about);
  else await checkRoot(entries, about);
  const records = recordsIn(files, entries, report);
  checkContent(files, records, report);
  checkNames(files, entries, report);
  return { checkpoint, goal, entries: entries.length, records, problems: sorted(problems) };
}

function checkpointIn(
  files: BundleFiles,
  key: VerifierKey,
  report: Report,
): Checkpoint | undefined {
  const text = signedText(files, "checkpoint", { key, report });
  if (text === undefined) return undefined;
  const read = readCheckpoint(text);
  if (read === undefined) report("malformed", "checkpoint", "It is no checkpoint of three lines.");
  else if (read.origin !== key.name)
    report("origin", "checkpoint", "Its origin is not the name of the key.");
  return read;
}

type Signed = { checkpoint: Checkpoint | undefined; report: Report };

function goalIn(
  files: BundleFiles,
  key: VerifierKey,
  { checkpoint, report }: Signed,
): GoalNote | undefined {
  if (!files.has("goal") && !hasProofs(files)) return undefined;
  const text = signedText(files, "goal", { key, report });
  if (text === undefined) return undefined;
  const read = readGoalNote(text);
  if (read === undefined) report("malformed", "goal", "It is no note about a goal.");
  else if (checkpoint !== undefined && read.size !== checkpoint.size)
    report("size", "goal", "It is about a log of another size than the checkpoint.");
  return read;
}

function hasProofs(files: BundleFiles): boolean {
  return [...files.keys()].some((name) => name.startsWith("proofs/"));
}

function signedText(
  files: BundleFiles,
  name: string,
  { key, report }: { key: VerifierKey; report: Report },
): string | undefined {
  const bytes = files.get(name);
  if (bytes === undefined) {
    report("missing", name, "It is not in the bundle.");
    return undefined;
  }
  const text = openNote(Buffer.from(bytes).toString(), key);
  if (text === undefined) report("signature", name, "The key has not signed it.");
  return text;
}

/** Without their line feeds. */
function linesOf(files: BundleFiles, name: string, report: Report): string[] {
  const bytes = files.get(name);
  if (bytes === undefined) report("missing", name, "It is not in the bundle.");
  const lines = Buffer.from(bytes ?? [])
    .toString()
    .split("\n");
  if (lines.at(-1) === "") lines.pop();
  else report("malformed", `${name}:${lines.length}`, "No line feed is at its end.");
  return lines;
}

function entriesIn(lines: readonly string[], report: Report): IndexedEntry[] {
  return lines.flatMap((line, at) => {
    const space = line.indexOf(" ");
    const index = readCount(line.slice(0, Math.max(space, 0)));
    const entry = readEntry(`${line.slice(space + 1)}\n`);
    if (index !== undefined && entry !== undefined) return [{ ...entry, index, line: at + 1 }];
    report("malformed", `entries:${at + 1}`, "It is no index and entry.");
    return [];
  });
}

type About = {
  files: BundleFiles;
  checkpoint: Checkpoint | undefined;
  goal: GoalNote | undefined;
  isOfGoal: boolean;
  report: Report;
};

function checkEntries(
  entries: readonly IndexedEntry[],
  lines: number,
  { checkpoint, goal, isOfGoal, report }: About,
): void {
  const numbers = new Map<string, number>();
  let before = -1;
  for (const { line, index, goal: about, number } of entries) {
    const place = `entries:${line}`;
    if (index <= before) report("order", place, "Its index is not above the one before.");
    before = Math.max(before, index);
    if (checkpoint !== undefined && index >= checkpoint.size)
      report("index", place, "The checkpoint has no such entry.");
    if (goal !== undefined && about !== goal.goal)
      report("other-goal", place, "It is about another goal.");
    const expected = (numbers.get(about) ?? 0) + 1;
    if (number !== expected)
      report("number", place, `It is entry ${number} of its goal where ${expected} comes next.`);
    numbers.set(about, number);
  }
  if (goal !== undefined && lines !== goal.entries)
    report("count", "goal", `The goal has ${goal.entries} entries, and ${lines} are here.`);
  if (!isOfGoal && checkpoint !== undefined && lines !== checkpoint.size)
    report("count", "entries", `The log has ${checkpoint.size} entries, and ${lines} are here.`);
}

function checkProofs(entries: readonly IndexedEntry[], { files, checkpoint, report }: About): void {
  const signed = Buffer.from(files.get("checkpoint") ?? []).toString();
  for (const entry of entries) {
    const place = `proofs/${entry.index}.tlog-proof`;
    const bytes = files.get(place);
    if (bytes === undefined) {
      report("proof", place, "It is not in the bundle.");
      continue;
    }
    const proof = readProof(Buffer.from(bytes).toString());
    if (proof === undefined) {
      report("malformed", place, "It is no proof of this kind.");
      continue;
    }
    if (proof.index !== entry.index || proof.checkpoint !== signed) {
      report("proof", place, "It is of another entry or another checkpoint.");
      continue;
    }
    if (checkpoint === undefined) continue;
    const leaf = leafHash(entryText(entry));
    const root = rootByProof(leaf, { ...proof, size: checkpoint.size });
    if (root === undefined || !isSameHash(root, checkpoint.root))
      report("proof", place, "It does not lead from the entry to the root.");
  }
}

async function checkRoot(
  entries: readonly IndexedEntry[],
  { checkpoint, report }: About,
): Promise<void> {
  if (checkpoint === undefined || entries.length !== checkpoint.size) return;
  let hashes = entries.map((entry) => leafHash(entryText(entry)));
  const levels = [hashes];
  while (hashes.length > 1) {
    const below = hashes;
    hashes = Array.from({ length: Math.floor(below.length / 2) }, (_, at) =>
      nodeHash(below[at * 2] ?? emptyHash, below[at * 2 + 1] ?? emptyHash),
    );
    levels.push(hashes);
  }
  const read = async (level: number, index: number) => levels[level]?.[index] ?? emptyHash;
  if (!isSameHash(await rootOf(entries.length, read), checkpoint.root))
    report("root", "checkpoint", "The entries have another root.");
}

/** No node has it. */
const emptyHash = new Uint8Array();

function recordsIn(
  files: BundleFiles,
  entries: readonly IndexedEntry[],
  report: Report,
): SealedRecord[] {
  const byDigest = new Map(entries.toReversed().map((entry) => [entry.digest, entry]));
  const found = new Set<string>();
  const records: SealedRecord[] = [];
  let before = 0;
  for (const [at, text] of linesOf(files, "records.jsonl", report).entries()) {
    const place = `records.jsonl:${at + 1}`;
    const record = readRecord(text);
    if (record === undefined) {
      report("malformed", place, "It is no record.");
      continue;
    }
    records.push(record);
    const said = entryOf(record, text);
    const entry = byDigest.get(said.digest);
    found.add(said.digest);
    if (entry === undefined) report("record", place, "No entry has its digest.");
    else if (entry.line <= before)
      report("record", place, "It is not in the order of the entries, or is there twice.");
    else if (!isAbout(entry, said)) report("record", place, "Its entry says something else.");
    before = Math.max(before, entry?.line ?? 0);
  }
  for (const { line, digest } of entries)
    if (!found.has(digest)) report("no-record", `entries:${line}`, "Its record is not here.");
  return records;
}

function isAbout(entry: Entry, { place, type, goal }: Omit<Entry, "number">): boolean {
  return entry.place === place && entry.type === type && entry.goal === goal;
}

/** Each content that a record names is there, and is the one that it names. */
function checkContent(files: BundleFiles, records: readonly SealedRecord[], report: Report): void {
  const named = namedContent(records);
  for (const [name, digests] of named) {
    const code = name.startsWith("facts/") ? "fact" : "artefact";
    const bytes = files.get(name);
    const digest = createHash("sha256")
      .update(bytes ?? "")
      .digest("hex");
    if (bytes === undefined) report(code, name, "It is not in the bundle.");
    else if (digests.some((one) => one !== digest))
      report(code, name, "Its SHA-256 is not the one that the log names.");
  }
  for (const name of files.keys()) {
    if (!isNameOfContent(name) || named.has(name)) continue;
    const isFact = name.startsWith("facts/");
    report(isFact ? "unknown-file" : "artefact", name, "No event names it.");
  }
}

function checkNames(files: BundleFiles, entries: readonly IndexedEntry[], report: Report): void {
  const proofs = entries.map(({ index }) => `proofs/${index}.tlog-proof`);
  const fixed = ["README", "checkpoint", "goal", "entries", "records.jsonl", "keys"];
  const known = new Set([...fixed, ...proofs]);
  for (const name of files.keys())
    if (!known.has(name) && !isNameOfContent(name))
      report("unknown-file", name, "A bundle has no such file.");
}

function sorted(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((one, other) => {
    const [[name, line], [otherName, otherLine]] = [partsOf(one.place), partsOf(other.place)];
    if (name !== otherName) return name < otherName ? -1 : 1;
    return line - otherLine;
  });
}

function partsOf(place: string): [name: string, line: number] {
  const [, name, line] = /^(.*):(\d+)$/.exec(place) ?? [];
  return name === undefined ? [place, 0] : [name, Number(line)];
}
