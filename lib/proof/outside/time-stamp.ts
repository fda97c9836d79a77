// Time stamps of authorities (RFC 3161): asks for one, and reads what comes. Pure.
import { Buffer } from "node:buffer";
import { hash, randomBytes, verify } from "node:crypto";
import {
  type Certificate,
  hashOfSignature,
  isForTimeStamps,
  readCertificate,
} from "./certificates.ts";
import { type Der, membersOf, NotOfForm, ofTag, oidOf, readDer, tagged, tags } from "./der.ts";

/** `at`: by the authority's clock. `nonce`: in hexadecimal; empty where it has none. */
export type TimeStamp = {
  at: Date;
  nonce: string;
  signer: Certificate;
  /** The authority has sent these as well, for the way to its root. */
  others: Certificate[];
};

export const maxTimeStampBytes = 65_536;

const sha256 = "2.16.840.1.101.3.4.2.1";
const hashes: Readonly<Record<string, string>> = {
  [sha256]: "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};
const rsa = "1.2.840.113549.1.1.1";
const signedData = "1.2.840.113549.1.7.2";
const timeInfo = "1.2.840.113549.1.9.16.1.4";
const contentType = "1.2.840.113549.1.9.3";
const messageDigest = "1.2.840.113549.1.9.4";
const signingCertificate = "1.2.840.113549.1.9.16.2.12";
const signingCertificate2 = "1.2.840.113549.1.9.16.2.47";

/** `nonce`: in hexadecimal. The bytes are a request for a stamp on the content. */
export function timeStampRequest(content: string): { bytes: Buffer<ArrayBuffer>; nonce: string } {
  const nonce = randomBytes(8);
  // A positive number that needs all of its bytes.
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  const digest = hash("sha256", content, "buffer");
  const algorithm = Buffer.from("300d06096086480165030402010500", "hex");
  const imprint = element(tags.sequence, algorithm, element(tags.octets, digest));
  const version = element(tags.integer, Buffer.of(1));
  const wantsCertificates = element(tags.boolean, Buffer.of(0xff));
  const number = element(tags.integer, nonce);
  const bytes = element(tags.sequence, version, imprint, number, wantsCertificates);
  return { bytes, nonce: nonce.toString("hex") };
}

/** Shorter than 128 bytes. */
function element(tag: number, ...contents: Buffer[]): Buffer<ArrayBuffer> {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag, content.length), content]);
}

/** A sentence in its place says why it is no time stamp of this content. */
export function readTimeStamp(reply: Buffer, content: string | Buffer): TimeStamp | string {
  try {
    if (reply.length > maxTimeStampBytes) return "It is too large.";
    const [status, token] = membersOf(readDer(reply), tags.sequence);
    const refusal = refusalIn(membersOf(status, tags.sequence));
    return refusal ?? stampIn(token, content);
  } catch (error) {
    if (error instanceof NotOfForm) return "It is no time stamp of RFC 3161.";
    throw error;
  }
}

function refusalIn([status, words]: Der[]): string | undefined {
  const [code] = ofTag(status, tags.integer).content;
  if (code === 0 || code === 1) return undefined;
  const texts =
    words?.tag === tags.sequence
      ? membersOf(words, tags.sequence).map((text) => ofTag(text, tags.utf8).content.toString())
      : [];
  const reason = texts.join(" ").replace(/\.$/, "");
  return `The authority has refused it${reason === "" ? "" : `: ${reason}`}.`;
}

function stampIn(token: Der | undefined, content: string | Buffer): TimeStamp | string {
  const [kind, wrapped] = membersOf(token, tags.sequence);
  if (oidOf(kind) !== signedData) throw new NotOfForm("no signed data");
  const [only] = membersOf(wrapped, tagged(0));
  const [, , encapsulated, ...rest] = membersOf(only, tags.sequence);
  const [infoKind, infoIn] = membersOf(encapsulated, tags.sequence);
  if (oidOf(infoKind) !== timeInfo) throw new NotOfForm("no time");
  const info = ofTag(membersOf(infoIn, tagged(0))[0], tags.octets).content;
  const certificates = rest.filter(({ tag }) => tag === tagged(0)).flatMap(certificatesIn);
  const [signed, ...others] = membersOf(rest.at(-1), tags.set);
  if (others.length > 0) throw new NotOfForm("several signers");
  const { at, nonce, imprint } = readInfo(info);
  if (!imprint.equals(hash("sha256", content, "buffer")))
    return "It is a time stamp of something else.";
  const signer = signerOf(signed, info, certificates);
  if (typeof signer === "string") return signer;
  return { at, nonce, signer, others: certificates.filter((one) => one !== signer) };
}

/** A certificate that cannot be read is left out: it may not be needed. */
function certificatesIn(list: Der): Certificate[] {
  return membersOf(list, tagged(0)).flatMap(({ whole }) => {
    try {
      return [readCertificate(whole)];
    } catch (error) {
      if (error instanceof NotOfForm) return [];
      throw error;
    }
  });
}

function readInfo(bytes: Buffer): { at: Date; nonce: string; imprint: Buffer } {
  const [version, , imprinted, , time, ...rest] = membersOf(readDer(bytes), tags.sequence);
  if (ofTag(version, tags.integer).content.toString("hex") !== "01") throw new NotOfForm("version");
  const [algorithm, digest] = membersOf(imprinted, tags.sequence);
  if (oidOf(membersOf(algorithm, tags.sequence)[0]) !== sha256) throw new NotOfForm("a digest");
  const nonce = rest.find(({ tag }) => tag === tags.integer)?.content.toString("hex") ?? "";
  const imprint = ofTag(digest, tags.octets).content;
  return { at: timeIn(ofTag(time, tags.time).content.toString("latin1")), nonce, imprint };
}

function timeIn(text: string): Date {
  const [, year, month, day, hour, minute, second, part = ""] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?Z$/.exec(text) ?? [];
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const at = new Date(`${written}.${part.slice(0, 3).padEnd(3, "0")}Z`);
  if (Number.isNaN(at.getTime()) || !at.toISOString().startsWith(written))
    throw new NotOfForm("a time");
  return at;
}

/** The certificate by which all of it is signed. */
function signerOf(
  signed: Der | undefined,
  info: Buffer,
  certificates: readonly Certificate[],
): Certificate | string {
  const [, , digestAlgorithm, attributes, signatureAlgorithm, signature] = membersOf(
    signed,
    tags.sequence,
  );
  const digestName = hashes[oidOf(membersOf(digestAlgorithm, tags.sequence)[0])];
  if (digestName === undefined) return "Its digest is of a kind that is not taken.";
  const values = attributesIn(attributes);
  const kind = values.get(contentType);
  const digest = values.get(messageDigest);
  if (kind === undefined || oidOf(kind) !== timeInfo) throw new NotOfForm("attributes");
  if (!ofTag(digest, tags.octets).content.equals(hash(digestName, info, "buffer")))
    return "What is signed is not this time.";
  const signer = certificates.find((one) => isNamed(one, values));
  if (signer === undefined) return "The certificate of its signer is not in it.";
  if (!isForTimeStamps(signer)) return "Its signer's certificate is not one for time stamps alone.";
  const bytes = Buffer.from(attributes?.whole ?? []);
  bytes[0] = tags.set;
  const algorithm = oidOf(membersOf(signatureAlgorithm, tags.sequence)[0]);
  const isRight = isSignature(signer, bytes, {
    algorithm: algorithm === rsa ? { key: "rsa", hash: digestName } : hashOfSignature[algorithm],
    signature: ofTag(signature, tags.octets).content,
  });
  return isRight ? signer : "Its signature is not right.";
}

/** The value of each attribute; each may be there once. */
function attributesIn(attributes: Der | undefined): Map<string, Der> {
  const found = new Map<string, Der>();
  for (const attribute of membersOf(attributes, tagged(0))) {
    const [kind, set] = membersOf(attribute, tags.sequence);
    const [value, ...others] = membersOf(set, tags.set);
    const id = oidOf(kind);
    if (value === undefined || others.length > 0 || found.has(id))
      throw new NotOfForm("an attribute");
    found.set(id, value);
  }
  return found;
}

/** The first certificate that the signed attribute names is the signer's. */
function isNamed({ whole }: Certificate, values: ReadonlyMap<string, Der>): boolean {
  const second = values.get(signingCertificate2);
  const value = second ?? values.get(signingCertificate);
  const [list] = membersOf(value, tags.sequence);
  const [first] = membersOf(list, tags.sequence);
  const members = membersOf(first, tags.sequence);
  let name = second === undefined ? "sha1" : "sha256";
  if (second !== undefined && members[0]?.tag === tags.sequence) {
    const [id] = membersOf(members.shift(), tags.sequence);
    const other = hashes[oidOf(id)];
    if (other === undefined) throw new NotOfForm("a digest of a certificate");
    name = other;
  }
  return ofTag(members[0], tags.octets).content.equals(hash(name, whole, "buffer"));
}

function isSignature(
  { x509 }: Certificate,
  bytes: Buffer,
  {
    algorithm,
    signature,
  }: { algorithm: { key: string; hash: string | null } | undefined; signature: Buffer },
): boolean {
  try {
    const { publicKey } = x509;
    if (algorithm === undefined || algorithm.key !== publicKey.asymmetricKeyType) return false;
    return verify(algorithm.hash, bytes, publicKey, signature);
  } catch {
    return false;
  }
}
