// A receipt: the proof of one entry, with the entry in it, as a person keeps it of an own act
// (docs/reference/proof.md#receipts). Pure.
import { Buffer, isUtf8 } from "node:buffer";
import { type Entry, type InclusionProof, readEntry, readProof } from "./formats.ts";
import type { LogKeys } from "./log-keys.ts";
import { isSameHash, leafHash, rootByProof } from "./merkle.ts";

/** `text`: the entry, with its line feed. */
export type Receipt = { proof: InclusionProof; entry: Entry; text: string };

const headLine = /^[^\n]*\n/;
const extraLine = /^([^\n]*\n)extra ([A-Za-z0-9+/=]+)\n/;

/** `proof`, `entry`: the texts of both. */
export function receiptText(proof: string, entry: string): string {
  return proof.replace(headLine, (head) => `${head}extra ${toBase64(entry)}\n`);
}

export function readReceipt(text: string): Receipt | undefined {
  const [, , extra = ""] = extraLine.exec(text) ?? [];
  const bytes = Buffer.from(extra, "base64");
  const written = isUtf8(bytes) ? bytes.toString() : "";
  const entry = readEntry(written);
  const proof = readProof(text.replace(extraLine, "$1"));
  if (entry === undefined || proof === undefined || toBase64(written) !== extra) return undefined;
  return { proof, entry, text: written };
}

/** Returns why it shows nothing; undefined where a key has signed a log that has the entry. */
export function faultOf({ proof, text }: Receipt, keys: LogKeys): string | undefined {
  const { checkpoint } = keys.openCheckpoint(proof.checkpoint) ?? {};
  if (checkpoint === undefined || checkpoint.origin !== keys.name)
    return "The key has not signed its checkpoint.";
  const leaf = leafHash(Buffer.from(text));
  const root = rootByProof(leaf, { ...proof, size: checkpoint.size });
  return root !== undefined && isSameHash(root, checkpoint.root)
    ? undefined
    : "It does not lead from its entry to the root.";
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
