// Certificates of authorities that stamp the time: which of them leads to one that is trusted.
// Pure.
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { type Der, membersOf, NotOfForm, oidOf, readDer, tagged, tags } from "./der.ts";

/** `issuer`, `subject`: the bytes of the names. `name`: of the subject, for people. */
export type Certificate = {
  whole: Buffer;
  x509: X509Certificate;
  algorithm: string;
  issuer: Buffer;
  subject: Buffer;
  name: string;
  extensions: ReadonlyMap<string, { isCritical: boolean; value: Buffer }>;
};

export const hashOfSignature: Readonly<Record<string, { key: string; hash: string | null }>> = {
  "1.2.840.113549.1.1.11": { key: "rsa", hash: "sha256" },
  "1.2.840.113549.1.1.12": { key: "rsa", hash: "sha384" },
  "1.2.840.113549.1.1.13": { key: "rsa", hash: "sha512" },
  "1.2.840.10045.4.3.2": { key: "ec", hash: "sha256" },
  "1.2.840.10045.4.3.3": { key: "ec", hash: "sha384" },
  "1.2.840.10045.4.3.4": { key: "ec", hash: "sha512" },
  "1.3.101.112": { key: "ed25519", hash: null },
};

const keyUsage = "2.5.29.15";
const basicConstraints = "2.5.29.19";
const extendedUsage = "2.5.29.37";
const understood = new Set([keyUsage, basicConstraints, extendedUsage]);
const timeStamping = "1.3.6.1.5.5.7.3.8";
const anyUsage = "2.5.29.37.0";
const commonName = "2.5.4.3";
/** The bit `keyCertSign`, in the first byte of the usage. */
const signsCertificates = 0x04;

/** Throws `NotOfForm`. */
export function readCertificate(whole: Buffer): Certificate {
  const [body, algorithm] = membersOf(readDer(whole), tags.sequence);
  const members = membersOf(body, tags.sequence);
  if (members[0]?.tag === tagged(0)) members.shift();
  const [, , issuer, , subject] = members;
  const [listed] = members.filter(({ tag }) => tag === tagged(3));
  const [list] = listed === undefined ? [] : membersOf(listed, tagged(3));
  return {
    whole,
    x509: x509Of(whole),
    algorithm: oidOf(membersOf(algorithm, tags.sequence)[0]),
    issuer: readDer(issuer?.whole ?? Buffer.of(), tags.sequence).whole,
    subject: readDer(subject?.whole ?? Buffer.of(), tags.sequence).whole,
    name: nameIn(subject),
    extensions: new Map(
      (list === undefined ? [] : membersOf(list, tags.sequence)).map(extensionIn),
    ),
  };
}

function x509Of(whole: Buffer): X509Certificate {
  try {
    const read = new X509Certificate(whole);
    // A key of a kind that is not known here shows when it is read.
    if (read.publicKey.type === "public") return read;
  } catch {
    // Its message is of no use to people.
  }
  throw new NotOfForm("no certificate");
}

function extensionIn(der: Der): [string, { isCritical: boolean; value: Buffer }] {
  const members = membersOf(der, tags.sequence);
  const isCritical = members[1]?.tag === tags.boolean;
  const value = readDer(members.at(-1)?.whole ?? Buffer.of(), tags.octets).content;
  return [oidOf(members[0]), { isCritical, value }];
}

/** The common name, else that of the last part that has a text. */
function nameIn(subject: Der | undefined): string {
  const parts = membersOf(subject, tags.sequence)
    .flatMap((set) => membersOf(set, tags.set))
    .map((part) => membersOf(part, tags.sequence));
  const named = parts.find(([kind]) => oidOf(kind) === commonName) ?? parts.at(-1);
  return named?.[1]?.content.toString() ?? "an authority without a name";
}

/** The certificates of a PEM file, in which other text may stand between them. */
export function readPem(text: string): Certificate[] | undefined {
  const block = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;
  try {
    const found = [...text.matchAll(block)].map(([, body = ""]) =>
      readCertificate(Buffer.from(body, "base64")),
    );
    return found.length === 0 ? undefined : found;
  } catch (error) {
    if (error instanceof NotOfForm) return undefined;
    throw error;
  }
}

/** It is for nothing but to stamp the time, and says that this must be understood. */
export function isForTimeStamps(certificate: Certificate): boolean {
  const usages = usagesOf(certificate);
  const isCritical = certificate.extensions.get(extendedUsage)?.isCritical === true;
  return isCritical && usages?.length === 1 && usages[0] === timeStamping;
}

type Trust = { roots: readonly Certificate[]; others: readonly Certificate[]; at: Date };

/** Each certificate on the way was valid at that time; none is looked at twice. */
export function leadsToRoot(certificate: Certificate, { roots, others, at }: Trust): boolean {
  const looked = new Set<string>();
  const leads = (one: Certificate, below: number): boolean => {
    if (!isUsable(one, at)) return false;
    if (roots.some(({ whole }) => whole.equals(one.whole))) return true;
    return [...roots, ...others].some((issuer) => {
      const isNew = !looked.has(issuer.whole.toString("latin1"));
      if (!isNew || !hasIssued(issuer, one, below)) return false;
      looked.add(issuer.whole.toString("latin1"));
      return leads(issuer, below + 1);
    });
  };
  return leads(certificate, 0);
}

function isUsable({ x509, extensions }: Certificate, at: Date): boolean {
  const isKnown = [...extensions].every(
    ([id, { isCritical }]) => !isCritical || understood.has(id),
  );
  return isKnown && new Date(x509.validFrom) <= at && at <= new Date(x509.validTo);
}

/** `below`: how many certificates of authorities are between the issuer and the signer. */
function hasIssued(issuer: Certificate, one: Certificate, below: number): boolean {
  if (!issuer.subject.equals(one.issuer) || hashOfSignature[one.algorithm] === undefined)
    return false;
  const usages = usagesOf(issuer);
  const isForThis = usages?.some((usage) => usage === timeStamping || usage === anyUsage) ?? true;
  return isForThis && isAuthority(issuer, below) && isSignedBy(one, issuer);
}

function isAuthority({ extensions }: Certificate, below: number): boolean {
  try {
    const constraints = extensions.get(basicConstraints)?.value ?? Buffer.of();
    const [isCa, length] = membersOf(readDer(constraints), tags.sequence);
    const usage = extensions.get(keyUsage)?.value;
    const signs = usage === undefined || ((readDer(usage).content[1] ?? 0) & signsCertificates) > 0;
    const isShort =
      length === undefined || length.content.readUIntBE(0, length.content.length) >= below;
    return isCa?.tag === tags.boolean && signs && isShort;
  } catch {
    return false;
  }
}

function isSignedBy({ x509 }: Certificate, { x509: by }: Certificate): boolean {
  try {
    return x509.verify(by.publicKey);
  } catch {
    return false;
  }
}

/** Undefined where it says nothing about them. */
function usagesOf({ extensions }: Certificate): string[] | undefined {
  const value = extensions.get(extendedUsage)?.value;
  if (value === undefined) return undefined;
  try {
    return membersOf(readDer(value), tags.sequence).map(oidOf);
  } catch {
    return [];
  }
}
