// Attestations, as tools of others read them: a statement of in-toto in an envelope (DSSE) in a
// bundle of Sigstore, signed by a key of P-256 (docs/reference/proof.md#attestations). Pure.
import { Buffer, isUtf8 } from "node:buffer";
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { jsonObject } from "./formats.ts";

/** `statement`: JSON. `signature`: in the form of ASN.1. */
export type Attestation = { statement: string; signature: Buffer };

const mediaType = "application/vnd.dev.sigstore.bundle.v0.3+json";
const payloadType = "application/vnd.in-toto+json";
const curve = "prime256v1";
const noteStart = "sett/1 attestations ";
export const maxAttestationBytes = 16 * 1024 ** 2;

/** A private key as PEM. */
export function newAttestationKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: curve });
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString();
}

/** The text of a note by which the key of the log says that this key attests. */
export function attestationKeyText(pem: string): string {
  return `${noteStart}${derOf(createPublicKey(createPrivateKey(pem))).toString("base64")}\n`;
}

/** Undefined where it is not written as `attestationKeyText` writes it, or the key is another. */
export function readAttestationKey(text: string): KeyObject | undefined {
  const der = Buffer.from(text.slice(noteStart.length), "base64");
  if (text !== `${noteStart}${der.toString("base64")}\n`) return undefined;
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    const isOfCurve = key.asymmetricKeyDetails?.namedCurve === curve;
    return isOfCurve && derOf(key).equals(der) ? key : undefined;
  } catch {
    return undefined;
  }
}

export function signAttestation(statement: string, pem: string): string {
  const signature = sign("sha256", signedBytes(statement), createPrivateKey(pem));
  return attestationText({ statement, signature });
}

/** Undefined where it is not written as `signAttestation` writes it. */
export function readAttestation(bytes: Uint8Array): Attestation | undefined {
  const text = Buffer.from(bytes).toString();
  const { payload, signatures } = membersIn(jsonObject(text)?.dsseEnvelope);
  const { sig } = membersIn(Array.isArray(signatures) ? signatures[0] : undefined);
  const [said, signature] = [bytesIn(payload), bytesIn(sig)];
  if (!isUtf8(bytes) || !isUtf8(said)) return undefined;
  const read = { statement: said.toString(), signature };
  return attestationText(read) === text ? read : undefined;
}

export function isSignedBy({ statement, signature }: Attestation, key: KeyObject): boolean {
  return verify("sha256", signedBytes(statement), key, signature);
}

/** The bytes that DSSE lets one sign (PAE). */
function signedBytes(statement: string): Buffer {
  const bytes = Buffer.from(statement);
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${bytes.length} `;
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** Without an id of the key: programs compute it in different ways, and skip the others' ids. */
function attestationText({ statement, signature }: Attestation): string {
  const payload = Buffer.from(statement).toString("base64");
  const signatures = [{ sig: signature.toString("base64") }];
  const verificationMaterial = { publicKey: {} };
  const dsseEnvelope = { payload, payloadType, signatures };
  return `${JSON.stringify({ mediaType, verificationMaterial, dsseEnvelope })}\n`;
}

function derOf(key: KeyObject): Buffer {
  return key.export({ format: "der", type: "spki" });
}

function membersIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function bytesIn(base64: unknown): Buffer {
  return Buffer.from(typeof base64 === "string" ? base64 : "", "base64");
}
