// Keys of SSH and their signatures, made in memory: a device (FIDO) is played by the program.
import { Buffer } from "node:buffer";
import { generateKeyPairSync, hash, type KeyObject, sign } from "node:crypto";
import { signedBytes } from "../../../lib/proof/ssh/signature.ts";
import { wireString } from "../../../lib/proof/ssh/wire.ts";
import { namespace as ownNamespace } from "../../../lib/proof/statement.ts";

const curves = { nistp256: "P-256", nistp384: "P-384", nistp521: "P-521" } as const;
type Curve = keyof typeof curves;
export const sshKinds = [
  "ssh-ed25519",
  "ssh-rsa",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "sk-ssh-ed25519@openssh.com",
  "sk-ecdsa-sha2-nistp256@openssh.com",
] as const;
export type SshKind = (typeof sshKinds)[number];

/** `line`: of a file of signers. `flags`: what a device says of the touch. */
export type SshSigner = {
  blob: Buffer;
  line(names: string, options?: string): string;
  sign(
    text: string,
    order?: { namespace?: string; digest?: "sha256" | "sha512"; flags?: number },
  ): string;
};

export function sshSigner(kind: SshKind = "ssh-ed25519"): SshSigner {
  const application = kind.startsWith("sk-") ? Buffer.from("ssh:") : undefined;
  const { privateKey, publicKey } = pairOf(kind);
  const blob = Buffer.concat([
    wireString(kind),
    publicParts(kind, publicKey),
    ...(application === undefined ? [] : [wireString(application)]),
  ]);
  return {
    blob,
    line: (names, options = "") =>
      `${names} ${options === "" ? "" : `${options} `}${kind} ${blob.toString("base64")}\n`,
    sign(text, { namespace = ownNamespace, digest = "sha512", flags = 1 } = {}) {
      const parts = { namespace, reserved: Buffer.alloc(0), digest };
      const data = signedBytes(Buffer.from(text), parts);
      const device = Buffer.from([flags, 0, 0, 0, 7]);
      const signed =
        application === undefined
          ? data
          : Buffer.concat([sha256(application), device, sha256(data)]);
      const raw = rawSignature(kind, signed, privateKey);
      const tail = application === undefined ? Buffer.alloc(0) : device;
      const name = kind === "ssh-rsa" ? "rsa-sha2-512" : kind;
      const signature = Buffer.concat([wireString(name), wireString(raw), tail]);
      return armoured({ key: blob, ...parts, signature });
    },
  };
}

type Parts = {
  key: Buffer;
  namespace: string;
  reserved: Buffer;
  digest: string;
  signature: Buffer;
};

export function armoured({ key, namespace, reserved, digest, signature }: Parts): string {
  const version = Buffer.from([0, 0, 0, 1]);
  const parts = [key, Buffer.from(namespace), reserved, Buffer.from(digest), signature];
  const bytes = Buffer.concat([Buffer.from("SSHSIG"), version, ...parts.map(wireString)]);
  const lines = bytes.toString("base64").replace(/.{70}/g, "$&\n").trimEnd();
  return `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`;
}

function curveOf(kind: SshKind): Curve | undefined {
  const name = /ecdsa-sha2-(nistp\d+)/.exec(kind)?.[1];
  return name === undefined ? undefined : (name as Curve);
}

function pairOf(kind: SshKind) {
  const curve = curveOf(kind);
  if (curve !== undefined) return generateKeyPairSync("ec", { namedCurve: curves[curve] });
  if (kind === "ssh-rsa") return generateKeyPairSync("rsa", { modulusLength: 2048 });
  return generateKeyPairSync("ed25519");
}

function publicParts(kind: SshKind, key: KeyObject): Buffer {
  const jwk = key.export({ format: "jwk" });
  const bytes = (text = "") => Buffer.from(text, "base64url");
  const curve = curveOf(kind);
  if (curve !== undefined)
    return Buffer.concat([
      wireString(curve),
      wireString(Buffer.concat([Buffer.from([4]), bytes(jwk.x), bytes(jwk.y)])),
    ]);
  if (kind === "ssh-rsa") return Buffer.concat([positive(bytes(jwk.e)), positive(bytes(jwk.n))]);
  return wireString(bytes(jwk.x));
}

function positive(digits: Buffer): Buffer {
  const at = digits.findIndex((digit) => digit !== 0);
  const trimmed = digits.subarray(Math.max(at, 0));
  const isHigh = (trimmed[0] ?? 0) > 0x7f;
  return wireString(isHigh ? Buffer.concat([Buffer.alloc(1), trimmed]) : trimmed);
}

function rawSignature(kind: SshKind, data: Buffer, key: KeyObject): Buffer {
  if (kind === "ssh-rsa") return sign("sha512", data, key);
  const curve = curveOf(kind);
  if (curve === undefined) return sign(null, data, key);
  const digest = { nistp256: "sha256", nistp384: "sha384", nistp521: "sha512" }[curve];
  const pair = sign(digest, data, { key, dsaEncoding: "ieee-p1363" });
  const half = pair.length / 2;
  return Buffer.concat([positive(pair.subarray(0, half)), positive(pair.subarray(half))]);
}

function sha256(bytes: Buffer): Buffer {
  return hash("sha256", bytes, "buffer");
}
