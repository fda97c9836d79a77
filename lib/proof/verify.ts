// Verifies a bundle: what it shows, and each problem by its place, as
// docs/reference/proof.md#what-a-verifier-does says. Pure: it reads no file and asks no network.
import { Buffer, isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { BundleFiles } from "./archive.ts";
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
import { isSameHash, leafHash, nodesOf, rootByProof, rootOf } from "./merkle.ts";
import { isNameOfArtefact, namedContent } from "./named-content.ts";
import { openNote, type VerifierKey } from "./note.ts";
import { type Problem, Problems } from "./problems.ts";

/**
 * `checkpoint` and `goal` are undefined where nothing shows them. `leftOut`: how many problems of
 * lines there are beyond those that are named.
 */
export type Shown = {
  checkpoint: Checkpoint | undefined;
  goal: GoalNote | undefined;
  entries: number;
  records: SealedRecord[];
  problems: Problem[];
  leftOut: number;
};

type IndexedEntry = Entry & { index: number; line: number };
type Bundle = { files: BundleFiles; problems: Problems; isOfGoal: boolean };
type Noted = Bundle & { checkpoint: Checkpoint | undefined; goal: GoalNote | undefined };

export async function verifyBundle(files: BundleFiles, key: VerifierKey): Promise<Shown> {
  const problems = new Problems();
  const isOfGoal =
    files.has("goal") || [...files.keys()].some((name) => name.startsWith("proofs/"));
  const bundle = { files, problems, isOfGoal };
  const checkpoint = checkpointIn(bundle, key);
  const goal = isOfGoal ? goalIn(bundle, key, checkpoint) : undefined;
  const noted = { ...bundle, checkpoint, goal };
  const { entries, lines } = entriesIn(bundle);
  checkEntries(entries, noted);
  checkCount(lines, noted);
  if (isOfGoal) checkProofs(entries, noted);
  else await checkRoot(entries, noted);
  const records = recordsIn(entries, bundle);
  const named = namedContent(records);
  checkContent(named, bundle);
  checkNames(entries, named, bundle);
  const { leftOut } = problems;
  return { checkpoint, goal, entries: entries.length, records, problems: problems.all(), leftOut };
}

function checkpointIn(bundle: Bundle, key: VerifierKey): Checkpoint | undefined {
  const text = signedText("checkpoint", bundle, key);
  if (text === undefined) return undefined;
  const read = readCheckpoint(text);
  if (read === undefined)
    bundle.problems.add("malformed", "checkpoint", "It is no checkpoint of three lines.");
  else if (read.origin !== key.name)
    bundle.problems.add("origin", "checkpoint", "Its origin is not the name of the key.");
  return read;
}

function goalIn(
  bundle: Bundle,
  key: VerifierKey,
  checkpoint: Checkpoint | undefined,
): GoalNote | undefined {
  const text = signedText("goal", bundle, key);
  if (text === undefined) return undefined;
  const read = readGoalNote(text);
  if (read === undefined) bundle.problems.add("malformed", "goal", "It is no note about a goal.");
  else if (checkpoint !== undefined && read.size !== checkpoint.size)
    bundle.problems.add("size", "goal", "It is about a log of another size than the checkpoint.");
  return read;
}

function signedText(
  name: string,
  { files, problems }: Bundle,
  key: VerifierKey,
): string | undefined {
  const bytes = files.get(name);
  if (bytes === undefined) {
    problems.add("missing", name, "It is not in the bundle.");
    return undefined;
  }
  const text = isUtf8(bytes) ? openNote(Buffer.from(bytes).toString(), key) : undefined;
  if (text === undefined)
    problems.add("signature", name, "It is no signed note, or the key has not signed it.");
  return text;
}

/** Without line feeds; undefined where a line has none, or is no UTF-8. Lines count from 1. */
function* linesOf(
  name: string,
  { files, problems }: Bundle,
): Generator<[line: number, text: string | undefined]> {
  const found = files.get(name);
  if (found === undefined) problems.add("missing", name, "It is not in the bundle.");
  const { buffer, byteOffset, byteLength } = found ?? new Uint8Array();
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  let line = 0;
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    const text = bytes.subarray(from, Math.max(end, from));
    line += 1;
    yield [line, end >= 0 && isUtf8(text) ? text.toString() : undefined];
    from = end < 0 ? bytes.length : end + 1;
  }
}

function entriesIn(bundle: Bundle): { entries: IndexedEntry[]; lines: number } {
  const entries: IndexedEntry[] = [];
  let lines = 0;
  for (const [line, text = ""] of linesOf("entries", bundle)) {
    lines = line;
    const space = text.indexOf(" ");
    const index = readCount(text.slice(0, Math.max(space, 0)));
    const entry = readEntry(`${text.slice(space + 1)}\n`);
    if (index !== undefined && entry !== undefined) entries.push({ ...entry, index, line });
    else
      bundle.problems.addOfLine("malformed", "entries", line, "It is not an index and an entry.");
  }
  return { entries, lines };
}

function checkEntries(
  entries: readonly IndexedEntry[],
  { checkpoint, goal, problems }: Noted,
): void {
  const numbers = new Map<string, number>();
  let before = -1;
  for (const { line, index, goal: about, number } of entries) {
    const report = (code: "order" | "index" | "other-goal" | "number", text: string) =>
      problems.addOfLine(code, "entries", line, text);
    if (index <= before) report("order", "Its index is not above the one before.");
    before = index;
    if (checkpoint !== undefined && index >= checkpoint.size)
      report("index", "The checkpoint has no such entry.");
    if (goal !== undefined && about !== goal.goal)
      report("other-goal", "It is about another goal.");
    const expected = (numbers.get(about) ?? 0) + 1;
    if (number !== expected)
      report("number", `It is entry ${number} of its goal where ${expected} comes next.`);
    numbers.set(about, number);
  }
}

function checkCount(lines: number, { checkpoint, goal, isOfGoal, problems }: Noted): void {
  if (goal !== undefined && lines !== goal.entries)
    problems.add("count", "goal", `The goal has ${goal.entries} entries, and ${lines} are here.`);
  if (!isOfGoal && checkpoint !== undefined && lines !== checkpoint.size)
    problems.add(
      "count",
      "entries",
      `The log has ${checkpoint.size} entries, and ${lines} are here.`,
    );
}

function checkProofs(
  entries: readonly IndexedEntry[],
  { files, checkpoint, problems }: Noted,
): void {
  const signed = bytesAsText(files.get("checkpoint"));
  for (const entry of entries) {
    const name = proofFile(entry.index);
    const bytes = files.get(name);
    const proof = bytes === undefined ? undefined : readProof(bytesAsText(bytes));
    if (bytes === undefined) problems.add("proof", name, "It is not in the bundle.");
    else if (proof === undefined) problems.add("malformed", name, "It is no proof of this kind.");
    else if (proof.index !== entry.index) problems.add("proof", name, "It is about another entry.");
    else if (checkpoint === undefined) continue;
    else if (proof.checkpoint !== signed)
      problems.add("proof", name, "Its checkpoint is another one.");
    else {
      const leaf = leafHash(entryText(entry));
      const root = rootByProof(leaf, { ...proof, size: checkpoint.size });
      if (root === undefined || !isSameHash(root, checkpoint.root))
        problems.add("proof", name, "It does not lead from the entry to the root.");
    }
  }
}

/** Each byte is one character. */
function bytesAsText(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("latin1");
}

async function checkRoot(
  entries: readonly IndexedEntry[],
  { checkpoint, problems }: Noted,
): Promise<void> {
  if (checkpoint === undefined || entries.length !== checkpoint.size) return;
  const read = nodesOf(entries.map((entry) => leafHash(entryText(entry))));
  if (!isSameHash(await rootOf(entries.length, read), checkpoint.root))
    problems.add("root", "checkpoint", "The entries have another root.");
}

function recordsIn(entries: readonly IndexedEntry[], bundle: Bundle): SealedRecord[] {
  // Where several have one digest, the first is meant.
  const byDigest = new Map(entries.toReversed().map((entry) => [entry.digest, entry]));
  const found = new Set<string>();
  const records: SealedRecord[] = [];
  let before = 0;
  for (const [line, text = ""] of linesOf("records.jsonl", bundle)) {
    const report = (code: "malformed" | "record", problem: string) =>
      bundle.problems.addOfLine(code, "records.jsonl", line, problem);
    const record = readRecord(text);
    if (record === undefined) {
      report("malformed", "It is no record.");
      continue;
    }
    records.push(record);
    const said = entryOf(record, text);
    const entry = byDigest.get(said.digest);
    found.add(said.digest);
    if (entry === undefined) report("record", "No entry has its digest.");
    else if (entry.line <= before)
      report("record", "It is not in the order of the entries, or is there twice.");
    else if (!isAbout(entry, said)) report("record", "Its entry says something else.");
    before = Math.max(before, entry?.line ?? 0);
  }
  for (const { line, digest } of entries)
    if (!found.has(digest))
      bundle.problems.addOfLine("no-record", "entries", line, "Its record is not here.");
  return records;
}

function isAbout(entry: Entry, { place, type, goal }: Omit<Entry, "number">): boolean {
  return entry.place === place && entry.type === type && entry.goal === goal;
}

/** Each content that a record names is there, and is the one that it names. */
function checkContent(
  named: ReadonlyMap<string, readonly string[]>,
  { files, problems }: Bundle,
): void {
  for (const [name, digests] of named) {
    const code = name.startsWith("facts/") ? "fact" : "artefact";
    const bytes = files.get(name);
    const digest = createHash("sha256")
      .update(bytes ?? "")
      .digest("hex");
    if (bytes === undefined) problems.add(code, name, "It is not in the bundle.");
    else if (digests.some((one) => one !== digest))
      problems.add(code, name, "Its SHA-256 is not the one that the log names.");
  }
}

function checkNames(
  entries: readonly IndexedEntry[],
  named: ReadonlyMap<string, unknown>,
  { files, problems }: Bundle,
): void {
  const proofs = entries.map(({ index }) => proofFile(index));
  const fixed = ["README", "checkpoint", "goal", "entries", "records.jsonl", "keys"];
  const known = new Set([...fixed, ...proofs]);
  for (const name of files.keys()) {
    if (known.has(name) || named.has(name)) continue;
    if (isNameOfArtefact(name)) problems.add("artefact", name, "No event names it.");
    else problems.add("unknown-file", name, "Nothing in the bundle names it.");
  }
}

function proofFile(index: number): string {
  return `proofs/${index}.tlog-proof`;
}
