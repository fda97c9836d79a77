// The keys of a log one after the other: each has signed a checkpoint, together with the one before
// it, whose last entry says so (docs/reference/proof.md#another-key). Pure.
import { Buffer, isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { type BundleFiles, sizesBelow } from "./archive.ts";
import type { BundleFile } from "./bundle-file.ts";
import {
  type Checkpoint,
  jsonObject,
  keyType,
  ownPlace,
  readCheckpoint,
  readHashes,
  readRecord,
} from "./formats.ts";
import { isSame, LogKeys, type Rotation } from "./log-keys.ts";
import { isBeginning, isSameHash, leafHash, rootByProof } from "./merkle.ts";
import { maxNoteBytes, openNote, readVerifierKey, type VerifierKey } from "./note.ts";
import type { Problems } from "./problems.ts";
import { readReceipt } from "./receipt.ts";

/** `handover`: what both keys have signed. */
type Shown = Rotation & { handover: Checkpoint };
type Bundle = { files: BundleFiles; problems: Problems; named: Set<BundleFile> };

const fileNames = ["record", "handover", "consistency"] as const;

/**
 * The keys by what the bundle shows, where the verifier's is one of them; else that one alone.
 * `check` compares with the bundle's checkpoint, which the last of them has signed.
 */
export async function keysIn(
  bundle: Bundle,
  trusted: VerifierKey,
): Promise<{ keys: LogKeys; check: (checkpoint: Checkpoint) => Promise<void>; count: number }> {
  const shown: Shown[] = [];
  const sizes = sizesBelow(bundle.files, "rotations");
  const contents = new Map<number, Map<string, Buffer>>();
  for (const size of sizes) contents.set(size, await contentsOf(bundle, size));
  for (const [size, bytes] of contents) {
    const rotation = rotationIn(bundle, { size, bytes, name: trusted.name, before: shown.at(-1) });
    if (rotation === undefined) break;
    shown.push(rotation);
  }
  const [first] = shown;
  const all = first === undefined ? [] : [first.from, ...shown.map(({ to }) => to)];
  const isKnown = all.some((one) => isSame(one, trusted));
  const keys = first && isKnown ? new LogKeys(first.from, shown) : new LogKeys(trusted);
  const check = async (checkpoint: Checkpoint) => {
    for (const { size, handover } of isKnown ? shown : []) {
      const path = readHashes(contents.get(size)?.get("consistency")?.toString("latin1"));
      const isOfLog =
        size <= checkpoint.size && path !== undefined && isBeginning(handover, checkpoint, path);
      if (!isOfLog) report(bundle, size, "consistency", "This log is not the beginning of it.");
    }
  };
  return { keys, check, count: sizes.length };
}

async function contentsOf({ files, named }: Bundle, size: number): Promise<Map<string, Buffer>> {
  const bytes = new Map<string, Buffer>();
  for (const name of fileNames) {
    const file = files.get(`rotations/${size}/${name}`);
    if (file === undefined) continue;
    named.add(file);
    if (file.size <= maxNoteBytes) bytes.set(name, await file.whole());
  }
  return bytes;
}

type Folder = {
  size: number;
  bytes: ReadonlyMap<string, Buffer>;
  name: string;
  before: Rotation | undefined;
};

/** Undefined where it is not right, which is then a problem. */
function rotationIn(bundle: Bundle, { size, bytes, name, before }: Folder): Shown | undefined {
  const record = bytes.get("record");
  const said = keysOf(record, name);
  if (said === undefined || (before !== undefined && !isSame(before.to, said.from))) {
    report(bundle, size, "record", "It does not say which key takes the place of the one before.");
    return undefined;
  }
  const receipt = readReceipt(bytes.get("handover")?.toString("latin1") ?? "");
  const handover = receipt && signedBy(receipt.proof.checkpoint, said);
  const root = receipt && rootByProof(leafHash(receipt.text), { ...receipt.proof, size });
  const isRight =
    handover?.origin === name &&
    handover.size === size &&
    receipt?.proof.index === size - 1 &&
    receipt.entry.digest === hash("sha256", record ?? "", "hex") &&
    root !== undefined &&
    isSameHash(root, handover.root);
  if (isRight) return { size, ...said, handover };
  report(bundle, size, "handover", "Not both keys have signed that the one takes over.");
  return undefined;
}

/** `checkpoint`: each character is a byte. */
function signedBy(
  checkpoint: string,
  { from, to }: Pick<Rotation, "from" | "to">,
): Checkpoint | undefined {
  const bytes = Buffer.from(checkpoint, "latin1");
  const note = isUtf8(bytes) ? bytes.toString() : "";
  const text = openNote(note, from);
  return text !== undefined && openNote(note, to) === text ? readCheckpoint(text) : undefined;
}

/** By a record of the notary. */
function keysOf(
  bytes: Buffer | undefined,
  name: string,
): Pick<Rotation, "from" | "to"> | undefined {
  const record = bytes !== undefined && isUtf8(bytes) ? readRecord(bytes.toString()) : undefined;
  if (record?.place !== ownPlace || record.type !== keyType) return undefined;
  const said = jsonObject(record.event) ?? {};
  const [from, to] = [said.from, said.to].map((text) =>
    typeof text === "string" ? readVerifierKey(text) : undefined,
  );
  if (from?.name !== name || to?.name !== name || isSame(from, to)) return undefined;
  return { from, to };
}

function report({ problems }: Bundle, size: number, name: string, text: string): void {
  problems.add("key", `rotations/${size}/${name}`, text);
}
