// The certificates of a service that is reached by TLS. Each service is its own authority: callers
// know the authority's certificate, which follows from the service's key and never changes, and the
// service signs a new certificate for itself whenever it needs one.
import { Buffer } from "node:buffer";
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
  Certificate as WholeCertificate,
} from "@peculiar/asn1-x509";
import { authoritySeedOf } from "./keys.ts";
import { serviceName } from "./service-name.ts";

type Times = { notBefore: Date; notAfter: Date };
/** Both in PEM. */
export type Certificate = { cert: string; key: string };

export type Authority = {
  /** DER. The same each time that it is made from a key. */
  certificate: Uint8Array;
  issue: (times: Times) => Certificate;
};

const commonName = "2.5.4.3";
const ed25519 = "1.3.101.112";
const subject = "sett authority";
/** The end of what has no end (RFC 5280, section 4.1.2.5). */
const endless: Times = {
  notBefore: new Date("2020-01-01T00:00:00Z"),
  notAfter: new Date("9999-12-31T23:59:59Z"),
};
/** This comes before the 32 bytes of a private key of Ed25519 in PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

export function authorityOf(serviceKey: string): Authority {
  const der = Buffer.concat([pkcs8Head, authoritySeedOf(serviceKey)]);
  const signer = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const certificate = signed(signer, {
    ...{ name: subject, serial: Buffer.from([1]), times: endless },
    publicKey: createPublicKey(signer),
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign)),
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(idOf(signer)), false),
    ],
  });
  return { certificate, issue: (times) => issue(signer, times) };
}

function issue(signer: KeyObject, times: Times): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const authority = new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(idOf(signer)) });
  const names = new SubjectAlternativeName([new GeneralName({ dNSName: serviceName })]);
  const certificate = signed(signer, {
    // The first byte is no 0 and no negative number.
    ...{ name: serviceName, serial: Buffer.concat([Buffer.from([1]), randomBytes(15)]), times },
    publicKey,
    extensions: [
      extension(id_ce_subjectAltName, names),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_authorityKeyIdentifier, authority, false),
    ],
  });
  const lines = certificate.toString("base64").replace(/.{64}(?!$)/g, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}

type Content = {
  name: string;
  serial: Uint8Array;
  times: Times;
  publicKey: KeyObject;
  extensions: Extension[];
};

function signed(
  signer: KeyObject,
  { name, serial, times, publicKey, extensions }: Content,
): Buffer {
  const signature = new AlgorithmIdentifier({ algorithm: ed25519 });
  const spki = publicKey.export({ format: "der", type: "spki" });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: arrayOf(serial),
    signature,
    issuer: nameOf(subject),
    validity: new Validity(times),
    subject: nameOf(name),
    subjectPublicKeyInfo: AsnConvert.parse(spki, SubjectPublicKeyInfo),
    extensions: new Extensions(extensions),
  });
  const signatureValue = sign(null, Buffer.from(AsnConvert.serialize(tbsCertificate)), signer);
  const certificate = new WholeCertificate({
    tbsCertificate,
    signatureAlgorithm: signature,
    signatureValue: arrayOf(signatureValue),
  });
  return Buffer.from(AsnConvert.serialize(certificate));
}

function extension(extnID: string, value: object, critical = true): Extension {
  const extnValue = new OctetString(AsnConvert.serialize(value));
  return new Extension({ extnID, critical, extnValue });
}

/** By which a certificate names the key that has signed it. */
function idOf(signer: KeyObject): ArrayBuffer {
  const der = createPublicKey(signer).export({ format: "der", type: "spki" });
  return arrayOf(createHash("sha256").update(der).digest().subarray(0, 20));
}

function nameOf(text: string): Name {
  const value = new AttributeValue({ utf8String: text });
  return new Name([
    new RelativeDistinguishedName([new AttributeTypeAndValue({ type: commonName, value })]),
  ]);
}

function arrayOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
