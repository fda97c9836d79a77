// Signed notes, and the keys of Ed25519 that sign them, as c2sp.org/signed-note has them. Pure.
import { Buffer } from "node:buffer";
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";

/** `id`: what tells keys of one name apart, 4 bytes. */
export type VerifierKey = { name: string; id: Buffer; publicKey: KeyObject };
export type SignerKey = VerifierKey & { privateKey: KeyObject };

const ed25519 = 1;
/** The kind of a signature by Ed25519 with its time (c2sp.org/tlog-cosignature). */
export const cosigning = 4;
const rawKeyBytes = 32;
const idBytes = 4;
export const maxNoteBytes = 1_000_000;
const maxSignatures = 100;

/** A private key as PEM. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString();
}

/** `nameOf` gets the digest of the public key in hexadecimal. Throws where it is no such key. */
export function signerKey(pem: string, nameOf: (sha256: string) => string): SignerKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const raw = rawOf(publicKey);
  const name = nameOf(createHash("sha256").update(raw).digest("hex"));
  return { name, id: idOf(name, raw), publicKey, privateKey };
}

/** `NAME+ID+KEY`. */
export function verifierKeyText({ name, id, publicKey }: VerifierKey): string {
  const key = Buffer.concat([Buffer.from([ed25519]), rawOf(publicKey)]);
  return `${name}+${id.toString("hex")}+${key.toString("base64")}`;
}

/** Undefined where it is none of Ed25519, or for another `use`. */
export function readVerifierKey(text: string, use = ed25519): VerifierKey | undefined {
  const [, name = "", hex = "", base64 = ""] =
    /^([^\p{White_Space}+]+)\+([0-9a-f]{8})\+(.+)$/u.exec(text) ?? [];
  const key = bytesOf(base64);
  if (key?.length !== rawKeyBytes + 1 || key[0] !== use) return undefined;
  const raw = key.subarray(1);
  const id = idOf(name, raw, use);
  if (id.toString("hex") !== hex) return undefined;
  const jwk = { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") };
  return { name, id, publicKey: createPublicKey({ key: jwk, format: "jwk" }) };
}

/** A clause about a text that is no key of a log, such as `is a PEM …`. */
export function notAVerifierKey(text: string): string {
  if (text.includes("-----BEGIN"))
    return "is a PEM: take the line that `sett audit key` prints without --pem";
  if (readVerifierKey(text.trim(), cosigning) !== undefined)
    return "is the key of a witness, and not that of a log";
  return "is no verifier key: one line as `sett audit key` prints it, such as demo.sett.invalid/1a2b3c4d+5e6f7a8b+AX0…";
}

/** `text` ends with a line feed. */
export function signNote(text: string, ...signers: readonly SignerKey[]): string {
  const lines = signers.map(({ name, id, privateKey }) => {
    const signature = Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]);
    return `— ${name} ${signature.toString("base64")}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/** The text of a note that this key has signed. Other signatures say nothing. */
export function openNote(note: string, key: VerifierKey): string | undefined {
  const read = readNote(note);
  if (read === undefined) return undefined;
  const own = signaturesBy(key, read.signatures);
  const text = Buffer.from(read.text);
  const areRight = own.every((signature) => verify(null, text, key.publicKey, signature));
  return areRight && own.length > 0 ? read.text : undefined;
}

/** `bytes`: without the id of the key. */
export type NoteSignature = { name: string; id: Buffer; bytes: Buffer };
export type Note = { text: string; signatures: NoteSignature[] };

/** Verifies nothing. */
export function readNote(note: string): Note | undefined {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n") || Buffer.byteLength(note) > maxNoteBytes) return undefined;
  // Such signs could hide what people read.
  if ([...note].some((sign) => sign < " " && sign !== "\n")) return undefined;
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > maxSignatures) return undefined;
  const signatures = lines.map(readSignature);
  const known = signatures.filter((signature) => signature !== undefined);
  return known.length < lines.length
    ? undefined
    : { text: note.slice(0, end + 1), signatures: known };
}

export function readSignature(line: string): NoteSignature | undefined {
  const [, name, base64 = ""] = /^— ([^\p{White_Space}+]+) ([^ ]+)$/u.exec(line) ?? [];
  const bytes = bytesOf(base64);
  if (name === undefined || bytes === undefined || bytes.length <= idBytes) return undefined;
  return { name, id: bytes.subarray(0, idBytes), bytes: bytes.subarray(idBytes) };
}

/** The signatures that name the key. */
export function signaturesBy(key: VerifierKey, signatures: readonly NoteSignature[]): Buffer[] {
  const own = signatures.filter(({ name, id }) => name === key.name && id.equals(key.id));
  return own.map(({ bytes }) => bytes);
}

/** Undefined where it is not written as base64 is: with `=` at its end, and unused bits of 0. */
function bytesOf(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, "base64");
  return bytes.toString("base64") === base64 ? bytes : undefined;
}

function rawOf(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
}

function idOf(name: string, raw: Uint8Array, use = ed25519): Buffer {
  const hash = createHash("sha256").update(`${name}\n`);
  return hash
    .update(new Uint8Array([use]))
    .update(raw)
    .digest()
    .subarray(0, 4);
}
