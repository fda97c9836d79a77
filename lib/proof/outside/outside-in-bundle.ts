// Checks what authorities and witnesses have seen of a log: each event is between moments that no
// part of the instance has chosen (docs/reference/proof.md#time-stamps-and-witnesses). Pure.
import { type Buffer, isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { type BundleFiles, sizesBelow } from "../archive.ts";
import type { BundleFile } from "../bundle-file.ts";
import {
  anchoredType,
  type Checkpoint,
  type Entry,
  jsonObject,
  ownPlace,
  readCheckpoint,
  readHashes,
  readRecord,
} from "../formats.ts";
import type { LogKeys } from "../log-keys.ts";
import { isBeginning, isSameHash, leafHash, rootByProof } from "../merkle.ts";
import { maxNoteBytes, openNote, readNote, type VerifierKey } from "../note.ts";
import type { Problems } from "../problems.ts";
import { readReceipt } from "../receipt.ts";
import { type Certificate, leadsToRoot } from "./certificates.ts";
import { readTimeStamp } from "./time-stamp.ts";
import { type Policy, seenBy } from "./witnesses.ts";

/** `roots` of authorities and `policy` are undefined where nothing of this kind is trusted. */
export type OutsideTrust = {
  roots?: readonly Certificate[] | undefined;
  policy?: Policy | undefined;
  required: readonly ("tsa" | "witness")[];
};

/** `by`: the authority, or the witness, for people. */
export type Look = { at: Date; by: string };
/**
 * The first `size` entries were there at each of these times. `sealed`: the index of the entry that
 * says so; what comes behind it was sealed later. `isWitnessed`: by so many as the policy asks for.
 */
export type OutsideAnchor = {
  size: number;
  sealed: number | undefined;
  stamp: Look | undefined;
  seen: Look[];
  isWitnessed: boolean;
};

/** `last`: the largest index of an entry. */
type Bundle = {
  files: BundleFiles;
  problems: Problems;
  named: Set<BundleFile>;
  checkpoint: Checkpoint;
  isOfGoal: boolean;
  last: number;
};
type File = (typeof fileNames)[number];
/** `text`: of the checkpoint. `bytes`: of each file that is there. */
type Folder = { size: number; bytes: Map<File, Buffer>; text: string };

const fileNames = ["checkpoint", "consistency", "tsr", "cosigned", "sealed", "record"] as const;

/** Returns the anchors that are shown, by rising size. */
export async function checkOutside(
  bundle: Bundle,
  keys: LogKeys,
  trust: OutsideTrust,
): Promise<OutsideAnchor[]> {
  const shown: OutsideAnchor[] = [];
  for (const size of sizesBelow(bundle.files, "anchors")) {
    const folder = await folderIn(bundle, keys.of(size), size);
    if (folder === undefined) continue;
    const sealed = await checkSealed(bundle, folder);
    const stamp = checkStamp(bundle, folder, trust.roots);
    const seen = checkSeen(bundle, folder, keys.of(size), trust.policy);
    shown.push({ size, sealed, stamp, ...seen });
  }
  const covers = ({ size }: OutsideAnchor) => !bundle.isOfGoal || size > bundle.last;
  const isIn = {
    tsa: shown.some((one) => one.stamp !== undefined && covers(one)),
    witness: shown.some((one) => one.isWitnessed && covers(one)),
  };
  for (const code of trust.required)
    if (!isIn[code])
      bundle.problems.add(code, "anchors", `Nothing of this kind is about ${all(bundle)}.`);
  return shown;
}

function all({ isOfGoal }: Bundle): string {
  return isOfGoal ? "all entries of the goal" : "this log";
}

/** Undefined where its checkpoint is not of this log, which is then a problem. */
async function folderIn(
  { files, named, problems, checkpoint }: Bundle,
  key: VerifierKey,
  size: number,
): Promise<Folder | undefined> {
  const bytes = new Map<File, Buffer>();
  for (const name of fileNames) {
    const file = files.get(`anchors/${size}/${name}`);
    if (file === undefined) continue;
    named.add(file);
    if (file.size <= maxNoteBytes) bytes.set(name, await file.whole());
  }
  const note = bytes.get("checkpoint");
  const text = note !== undefined && isUtf8(note) ? openNote(note.toString(), key) : undefined;
  const seen = text === undefined ? undefined : readCheckpoint(text);
  const isOfLog = seen?.origin === key.name && seen.size === size && size <= checkpoint.size;
  const report = (name: File, problem: string) =>
    problems.add("anchor", `anchors/${size}/${name}`, problem);
  if (text === undefined || seen === undefined || !isOfLog) {
    report("checkpoint", "It is no checkpoint of this log and size that the key has signed.");
    return undefined;
  }
  const path = readHashes(bytes.get("consistency")?.toString("latin1"));
  if (path !== undefined && isBeginning(seen, checkpoint, path)) return { size, bytes, text };
  report("consistency", "It does not show that this log is the beginning of the bundle's.");
  return undefined;
}

/** The index of the entry by which the notary has sealed what came from outside. */
async function checkSealed(bundle: Bundle, { size, bytes }: Folder): Promise<number | undefined> {
  const [proof, record] = [bytes.get("sealed"), bytes.get("record")];
  if (proof === undefined && record === undefined) return undefined;
  const report = (name: File, problem: string) =>
    bundle.problems.add("anchor", `anchors/${size}/${name}`, problem);
  const { index, entry } = (await sealedEntry(bundle, proof)) ?? {};
  const said = entry?.digest === digestOf(record) ? ownRecord(record) : undefined;
  if (index === undefined || index < size || said?.size !== size) {
    report("sealed", "It does not show that the notary has sealed this.");
    return undefined;
  }
  for (const name of ["tsr", "cosigned"] as const)
    if (said[name] !== digestOf(bytes.get(name)))
      report(name, "It is not the one that the notary has sealed.");
  return index;
}

/** The entry of a receipt under the checkpoint of the bundle. */
async function sealedEntry(
  { files, checkpoint }: Bundle,
  proof: Buffer | undefined,
): Promise<{ index: number; entry: Entry } | undefined> {
  const receipt = readReceipt(proof?.toString("latin1") ?? "");
  const signed = await files.get("checkpoint")?.whole();
  if (receipt?.proof.checkpoint !== signed?.toString("latin1")) return undefined;
  if (receipt === undefined) return undefined;
  const tree = { ...receipt.proof, size: checkpoint.size };
  const root = rootByProof(leafHash(receipt.text), tree);
  const isIn = root !== undefined && isSameHash(root, checkpoint.root);
  return isIn ? { index: receipt.proof.index, entry: receipt.entry } : undefined;
}

/** The event of a record that the notary has written about an anchor. */
function ownRecord(bytes: Buffer | undefined): Record<string, unknown> | undefined {
  const record = bytes !== undefined && isUtf8(bytes) ? readRecord(bytes.toString()) : undefined;
  const isOwn = record?.place === ownPlace && record.type === anchoredType;
  return isOwn ? jsonObject(record.event) : undefined;
}

function digestOf(bytes: Buffer | undefined): string | undefined {
  return bytes && hash("sha256", bytes, "hex");
}

function checkStamp(
  { problems }: Bundle,
  { size, bytes }: Folder,
  roots: readonly Certificate[] | undefined,
): Look | undefined {
  const [reply, content] = [bytes.get("tsr"), bytes.get("checkpoint")];
  if (reply === undefined || content === undefined || roots === undefined) return undefined;
  const stamp = readTimeStamp(reply, content);
  const isTrusted = typeof stamp !== "string" && leadsToRoot(stamp.signer, { ...stamp, roots });
  if (typeof stamp !== "string" && isTrusted) return { at: stamp.at, by: stamp.signer.name };
  const fault = typeof stamp === "string" ? stamp : notTrusted;
  problems.add("tsa", `anchors/${size}/tsr`, fault);
  return undefined;
}

const notTrusted =
  "The certificate of its signer does not lead to one that is trusted, or was not valid then.";

function checkSeen(
  { problems }: Bundle,
  { size, bytes, text }: Folder,
  key: VerifierKey,
  policy: Policy | undefined,
): { seen: Look[]; isWitnessed: boolean } {
  const file = bytes.get("cosigned");
  if (file === undefined || policy === undefined) return { seen: [], isWitnessed: false };
  const report = (problem: string) => problems.add("witness", `anchors/${size}/cosigned`, problem);
  const note = isUtf8(file) ? file.toString() : "";
  if (openNote(note, key) !== text) report("It is not the checkpoint with signatures of others.");
  const { signatures = [] } = openNote(note, key) === text ? (readNote(note) ?? {}) : {};
  const [seen, names]: [Look[], Set<string>] = [[], new Set()];
  for (const [name, witness] of policy.witnesses) {
    const at = seenBy(witness, text, signatures);
    if (at === "wrong") report("A signature of a witness is not right.");
    if (!(at instanceof Date)) continue;
    seen.push({ at, by: name });
    names.add(name);
  }
  return { seen, isWitnessed: names.size > 0 && (policy.quorum?.(names) ?? true) };
}
