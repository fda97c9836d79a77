// Verifies a bundle: what it shows, and each problem by its place, as
// docs/reference/proof.md#what-a-verifier-does says. Of a log it keeps a digest for each entry, and
// reads the rest piece by piece. Pure: it opens no file and asks no network.
import { Buffer, isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { ActsInLog, type SignedActs, type Signing } from "./acts-in-log.ts";
import type { BundleFiles } from "./archive.ts";
import { readAttestationKey } from "./attestation.ts";
import { type BundleFile, LineCursor } from "./bundle-file.ts";
import { checkAttestations } from "./check-attestations.ts";
import { DigestTable } from "./digest-table.ts";
import { ErasuresInLog } from "./erasures-in-log.ts";
import {
  type Checkpoint,
  type Entry,
  type FormerLog,
  formerLogIn,
  type GoalNote,
  goalOf,
  type InclusionProof,
  jsonObject,
  keyType,
  ownPlace,
  readCheckpoint,
  readCount,
  readEntry,
  readGoalNote,
  readProof,
  readRecord,
  type SealedRecord,
  typeOf,
} from "./formats.ts";
import type { LogKeys } from "./log-keys.ts";
import { GrowingTree, type Hash, isSameHash, leafHash, rootByProof } from "./merkle.ts";
import { idOfArtefact, type Named, namedContent } from "./named-content.ts";
import { maxNoteBytes, openNote, readNote, type VerifierKey } from "./note.ts";
import {
  checkOutside,
  type OutsideAnchor,
  type OutsideTrust,
} from "./outside/outside-in-bundle.ts";
import { type Problem, Problems } from "./problems.ts";
import { attestedIn, Provenance } from "./provenance.ts";
import { QuorumsInLog } from "./quorums-in-log.ts";
import { faultOf, type Receipt, readReceipt } from "./receipt.ts";
import { keysIn } from "./rotations.ts";

/**
 * `checkpoint` and `goal` are undefined where nothing shows them. `leftOut`: how many problems of
 * lines there are beyond those that are named. `acts`: those of people, where signers are known.
 * `erased`: how many artefacts were erased on record. `attested`: how many attestations there are.
 * `first` and `last`: the smallest and the largest index of an entry; -1 without one. `outside`:
 * what others have seen of the log. `keys`: those of the log, as far as the bundle shows them.
 * `after`: the log was begun anew when that one was lost.
 */
export type Shown = {
  checkpoint: Checkpoint | undefined;
  goal: GoalNote | undefined;
  entries: number;
  problems: Problem[];
  leftOut: number;
  acts: SignedActs | undefined;
  erased: number;
  attested: number;
  first: number;
  last: number;
  outside: OutsideAnchor[];
  keys: LogKeys;
  after: FormerLog | undefined;
};

const lineFeed = 0x0a;

/** `line`: in `records.jsonl`, from 1. */
export type OnRecord = (record: SealedRecord, line: number) => void;
type OnBody = (
  record: SealedRecord,
  line: number,
  body: Record<string, unknown> | undefined,
) => void;

type IndexedEntry = Entry & { index: number; leaf: Hash };
type Bundle = { files: BundleFiles; problems: Problems; isOfGoal: boolean };
/** `named`: files that something in the bundle says belong there. */
type Noted = Bundle & {
  checkpoint: Checkpoint | undefined;
  goal: GoalNote | undefined;
  named: Set<BundleFile>;
  erasures: ErasuresInLog;
  /** Artefacts that events name, and that are not there. */
  missing: Named[];
};

/**
 * `onRecord` gets each record that is well formed, in their order. Without `signing`, no act of a
 * person is looked at.
 */
export async function verifyBundle(
  files: BundleFiles,
  key: VerifierKey,
  onRecord: OnRecord = () => {},
  signing?: Signing,
  receipts: readonly string[] = [],
  outsideTrust: OutsideTrust = { required: [] },
): Promise<Shown> {
  const problems = new Problems();
  const isOfGoal =
    files.has("goal") || [...files.keys()].some((name) => name.startsWith("proofs/"));
  const bundle = { files, problems, isOfGoal };
  const named = new Set<BundleFile>();
  const { keys, ...rotations } = await keysIn({ files, problems, named }, key);
  const checkpoint = await checkpointIn(bundle, keys.last);
  if (checkpoint !== undefined) await rotations.check(checkpoint);
  const goal = isOfGoal ? await goalIn(bundle, keys.last, checkpoint) : undefined;
  const erasures = new ErasuresInLog();
  const noted: Noted = { ...bundle, checkpoint, goal, named, erasures, missing: [] };
  const { entries, digests, first, last } = await checkEntries(noted);
  const inLog = signing && new ActsInLog();
  const quorums = new QuorumsInLog();
  const isAttested = [...files.keys()].some((name) => attestedIn(name) !== undefined);
  const provenance = isAttested ? new Provenance() : undefined;
  let exchanges = 0;
  let after = goal?.after;
  await checkRecords(noted, digests, (record, line, body) => {
    if (record.place === ownPlace && record.type === keyType) exchanges += 1;
    if (!isOfGoal) after ??= formerLogIn(record);
    erasures.note(record, line, body, problems);
    inLog?.note(record, line, body);
    quorums.note(record, line, body);
    provenance?.note(record, body);
    onRecord(record, line);
  });
  if (digests.left > 0) await nameWithoutRecord(noted, digests);
  if (!isOfGoal && exchanges !== rotations.count)
    problems.add("key", "rotations", "The log has another number of exchanges of its key.");
  checkErased(noted);
  const outside =
    checkpoint && (await checkOutside({ ...noted, checkpoint, last }, keys, outsideTrust));
  const attested = await attestationsIn(noted, provenance, keys.last);
  checkNames(noted);
  const acts = signing && (await inLog?.check({ files, problems, keyName: key.name }, signing));
  quorums.check(problems);
  await checkReceipts(noted, receipts, keys);
  const { leftOut } = problems;
  const erased = erasures.count;
  const counts = { entries, leftOut, erased, attested, first, last };
  const found = { checkpoint, goal, problems: problems.all(), acts, keys, after };
  return { ...found, ...counts, outside: outside ?? [] };
}

async function checkpointIn(bundle: Bundle, key: VerifierKey): Promise<Checkpoint | undefined> {
  const text = await signedText("checkpoint", bundle, key);
  if (text === undefined) return undefined;
  const read = readCheckpoint(text);
  if (read === undefined)
    bundle.problems.add("malformed", "checkpoint", "It is no checkpoint of three lines.");
  else if (read.origin !== key.name)
    bundle.problems.add("origin", "checkpoint", "Its origin is not the name of the key.");
  return read;
}

async function goalIn(
  bundle: Bundle,
  key: VerifierKey,
  checkpoint: Checkpoint | undefined,
): Promise<GoalNote | undefined> {
  const text = await signedText("goal", bundle, key);
  if (text === undefined) return undefined;
  const read = readGoalNote(text);
  if (read === undefined) bundle.problems.add("malformed", "goal", "It is no note about a goal.");
  else if (checkpoint !== undefined && read.size !== checkpoint.size)
    bundle.problems.add("size", "goal", "It is about a log of another size than the checkpoint.");
  return read;
}

async function signedText(
  name: string,
  { files, problems }: Bundle,
  key: VerifierKey,
): Promise<string | undefined> {
  const file = files.get(name);
  if (file === undefined) {
    problems.add("missing", name, "It is not in the bundle.");
    return undefined;
  }
  const bytes = file.size > maxNoteBytes ? undefined : await file.whole();
  const note = bytes !== undefined && isUtf8(bytes) ? bytes.toString() : "";
  const text = openNote(note, key);
  if (text === undefined) problems.add("signature", name, whyNotSigned(note, key));
  return text;
}

/** A key that was exchanged is not taken for a note that was changed. */
function whyNotSigned(note: string, key: VerifierKey): string {
  const { signatures = [] } = readNote(note) ?? {};
  const isOther = signatures.some(({ name, id }) => name === key.name && !id.equals(key.id));
  return isOther
    ? "Another key with this name has signed it, and nothing here shows that yours has led to it."
    : "It is no signed note, or the key has not signed it.";
}

/** Pieces of a file; none where it is missing. */
async function* linesOf(
  name: string,
  { files, problems }: Bundle,
): AsyncGenerator<{ lines: Buffer[]; first: number }> {
  const file = files.get(name);
  if (file === undefined) return problems.add("missing", name, "It is not in the bundle.");
  let first = 1;
  for await (const lines of file.lines()) {
    yield { lines, first };
    first += lines.length;
  }
}

/** Also the whole log's root, and in a bundle of a goal the proof of each. */
async function checkEntries(
  noted: Noted,
): Promise<Pick<Shown, "entries" | "first" | "last"> & { digests: DigestTable }> {
  const [digests, tree, numbers] = [
    new DigestTable(),
    new GrowingTree(),
    new Map<string, number>(),
  ];
  const proofs = noted.isOfGoal ? new ProofReader(noted) : undefined;
  let [count, before] = [0, -1];
  const ends = { first: -1, last: -1 };
  for await (const { lines, first } of linesOf("entries", noted)) {
    for (const [at, bytes] of lines.entries()) {
      const line = first + at;
      const entry = entryIn(bytes);
      if (entry === undefined) {
        noted.problems.addOfLine("malformed", "entries", line, "It is not an index and an entry.");
        continue;
      }
      checkEntry(entry, { line, before, numbers }, noted);
      before = entry.index;
      if (ends.first < 0 || before < ends.first) ends.first = before;
      if (before > ends.last) ends.last = before;
      digests.add(entry.digest, line);
      tree.add(entry.leaf);
      await proofs?.check(entry);
    }
    count = first + lines.length - 1;
  }
  checkCount(count, noted);
  checkRoot(tree, noted);
  return { entries: tree.size, digests, ...ends };
}

/** What is no ASCII is no entry, whatever characters it is. */
function entryIn(line: Buffer): IndexedEntry | undefined {
  const space = line.indexOf(" ");
  const index = readCount(line.toString("latin1", 0, Math.max(space, 0)));
  const entry = index === undefined ? undefined : readEntry(line.toString("latin1", space + 1));
  if (index === undefined || entry === undefined) return undefined;
  return { ...entry, index, leaf: leafHash(line.subarray(space + 1)) };
}

/** `before`: the index of the entry before. `numbers`: the last one of each goal. */
function checkEntry(
  { index, goal: about, number }: IndexedEntry,
  { line, before, numbers }: { line: number; before: number; numbers: Map<string, number> },
  { checkpoint, goal, problems }: Noted,
): void {
  const report = (code: "order" | "index" | "other-goal" | "number", text: string) =>
    problems.addOfLine(code, "entries", line, text);
  if (index <= before) report("order", "Its index is not above the one before.");
  if (checkpoint !== undefined && index >= checkpoint.size)
    report("index", "The checkpoint has no such entry.");
  if (goal !== undefined && about !== goal.goal) report("other-goal", "It is about another goal.");
  const expected = (numbers.get(about) ?? 0) + 1;
  if (number !== expected)
    report("number", `It is entry ${number} of its goal where ${expected} comes next.`);
  numbers.set(about, number);
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

function checkRoot(tree: GrowingTree, { checkpoint, isOfGoal, problems }: Noted): void {
  if (isOfGoal || checkpoint === undefined || tree.size !== checkpoint.size) return;
  if (!isSameHash(tree.root(), checkpoint.root))
    problems.add("root", "checkpoint", "The entries have another root.");
}

class ProofReader {
  readonly #noted: Noted;
  /** The one that was read last: many lines may have one index. */
  #last: { name: string; proof: InclusionProof | undefined } | undefined;
  #signed: string | undefined;

  constructor(noted: Noted) {
    this.#noted = noted;
  }

  async check({ index, leaf }: IndexedEntry): Promise<void> {
    const { files, checkpoint, named, problems } = this.#noted;
    const name = `proofs/${index}.tlog-proof`;
    const file = files.get(name);
    if (file === undefined) return problems.add("proof", name, "It is not in the bundle.");
    named.add(file);
    if (this.#last?.name !== name)
      this.#last = { name, proof: readProof(bytesAsText(await file.whole())) };
    const { proof } = this.#last;
    if (proof === undefined) return problems.add("malformed", name, "It is no proof of this kind.");
    if (proof.index !== index) return problems.add("proof", name, "It is about another entry.");
    if (checkpoint === undefined) return;
    this.#signed ??= bytesAsText((await files.get("checkpoint")?.whole()) ?? Buffer.of());
    if (proof.checkpoint !== this.#signed)
      return problems.add("proof", name, "Its checkpoint is another one.");
    const root = rootByProof(leaf, { ...proof, size: checkpoint.size });
    if (root === undefined || !isSameHash(root, checkpoint.root))
      problems.add("proof", name, "It does not lead from the entry to the root.");
  }
}

/** Each byte is one character. */
function bytesAsText(bytes: Buffer): string {
  return bytes.toString("latin1");
}

/**
 * Records come in the order of their entries, so that a second reader of `entries` goes forward
 * beside them.
 */
async function checkRecords(noted: Noted, digests: DigestTable, onRecord: OnBody): Promise<void> {
  const file = noted.files.get("entries");
  const entries = file && new LineCursor(file);
  let before = 0;
  for await (const { lines, first } of linesOf("records.jsonl", noted))
    for (const [at, bytes] of lines.entries()) {
      const line = first + at;
      const report = (code: "malformed" | "record", problem: string) =>
        noted.problems.addOfLine(code, "records.jsonl", line, problem);
      const text = bytes.subarray(0, -1);
      const isLine = bytes.at(-1) === lineFeed && isUtf8(text);
      const record = isLine ? readRecord(text.toString()) : undefined;
      if (record === undefined) {
        report("malformed", "It is no record.");
        continue;
      }
      const body = jsonObject(record.event);
      const entry = digests.find(hash("sha256", text, "buffer"));
      if (entry === undefined) report("record", "No entry has its digest.");
      else if (entry <= before)
        report("record", "It is not in the order of the entries, or is there twice.");
      else if (!isAbout(await entries?.to(entry), { ...record, goal: goalOf(record.event, body) }))
        report("record", "Its entry says something else.");
      before = Math.max(before, entry ?? 0);
      for (const content of namedContent(record, body)) checkContent(content, noted);
      onRecord(record, line, body);
    }
}

/** `line`: of a well-formed entry. */
function isAbout(
  line: Buffer | undefined,
  { place, type, goal }: Pick<Entry, "place" | "type" | "goal">,
): boolean {
  const said = line?.toString("latin1", line.indexOf(" ") + 1) ?? "";
  return said.startsWith(`sett/1 ${place} ${typeOf(type)} ${goal} `);
}

async function nameWithoutRecord(noted: Noted, digests: DigestTable): Promise<void> {
  for await (const { lines, first } of linesOf("entries", noted))
    for (const [at, bytes] of lines.entries()) {
      const entry = entryIn(bytes);
      if (entry !== undefined && !digests.wasFound(entry.digest))
        noted.problems.addOfLine("no-record", "entries", first + at, "Its record is not here.");
    }
}

/** Each content that a record names is there, and is the one that it names. */
function checkContent({ name, sha256 }: Named, { files, named, problems, missing }: Noted): void {
  const code = name.startsWith("facts/") ? "fact" : "artefact";
  const file = files.get(name);
  if (file === undefined && code === "artefact") return void missing.push({ name, sha256 });
  if (file === undefined) return problems.add(code, name, "It is not in the bundle.");
  named.add(file);
  if (file.sha256 !== sha256)
    problems.add(code, name, "Its SHA-256 is not the one that the log names.");
}

/** `receipts`: their texts; a problem is about the one that has its number, from 1. */
async function checkReceipts(
  noted: Noted,
  receipts: readonly string[],
  keys: LogKeys,
): Promise<void> {
  const wanted = new Map<number, { receipt: Receipt; number: number }[]>();
  for (const [at, text] of receipts.entries()) {
    const receipt = readReceipt(text);
    const fault = receipt === undefined ? "It is no receipt." : faultOf(receipt, keys);
    const why = fault ?? (receipt && strangenessOf(receipt, noted));
    if (why !== undefined) noted.problems.addOfLine("receipt", "receipt", at + 1, why);
    else if (receipt !== undefined && noted.checkpoint !== undefined) {
      const { index } = receipt.proof;
      wanted.set(index, [...(wanted.get(index) ?? []), { receipt, number: at + 1 }]);
    }
  }
  if (wanted.size === 0) return;
  for await (const { lines } of linesOf("entries", noted))
    for (const line of lines) {
      const entry = entryIn(line);
      for (const { receipt, number } of (entry && wanted.get(entry.index)) ?? [])
        if (line.toString("latin1", line.indexOf(" ") + 1) !== receipt.text)
          noted.problems.addOfLine("receipt", "receipt", number, leftOut);
      if (entry !== undefined) wanted.delete(entry.index);
    }
  for (const { number } of [...wanted.values()].flat())
    noted.problems.addOfLine("receipt", "receipt", number, leftOut);
}

const leftOut = "The bundle has not the entry that it is about at its index.";

/** Returns why the bundle need not have the entry. */
function strangenessOf({ proof, entry }: Receipt, { checkpoint, goal }: Noted): string | undefined {
  if (goal !== undefined && entry.goal !== goal.goal) return "It is about another goal.";
  if (checkpoint !== undefined && proof.index >= checkpoint.size)
    return "It is of a later log than the bundle.";
  return undefined;
}

/** Resolves with how many there are. */
async function attestationsIn(
  { files, problems, named, isOfGoal }: Noted,
  provenance: Provenance | undefined,
  key: VerifierKey,
): Promise<number> {
  const name = "attestation-key";
  if (provenance === undefined && !files.has(name)) return 0;
  const text = await signedText(name, { files, problems, isOfGoal }, key);
  const shown = text === undefined ? undefined : readAttestationKey(text);
  if (text !== undefined && shown === undefined)
    problems.add("malformed", name, "It is no note with a key of attestations.");
  if (provenance === undefined) return 0;
  const order = { files, problems, named, provenance };
  return await checkAttestations({ ...order, builder: key.name, key: shown });
}

/** It comes after the event of the creation whether an artefact was erased. */
function checkErased({ files, problems, erasures, missing }: Noted): void {
  for (const one of missing)
    if (!erasures.has(one)) problems.add("artefact", one.name, "It is not in the bundle.");
  for (const name of erasures.files)
    if (files.has(name))
      problems.add("erased", name, "It was erased on record, and is in the bundle all the same.");
}

function checkNames({ files, named, problems }: Noted): void {
  const fixed = [
    "README",
    "checkpoint",
    "goal",
    "entries",
    "records.jsonl",
    "keys",
    "attestation-key",
  ];
  for (const [name, file] of files) {
    if (named.has(file) || fixed.includes(name)) continue;
    if (idOfArtefact(name) !== undefined) problems.add("artefact", name, "No event names it.");
    else problems.add("unknown-file", name, "Nothing in the bundle names it.");
  }
}
