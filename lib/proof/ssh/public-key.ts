// Public keys of SSH, and the signatures that they make. Pure.
import { Buffer } from "node:buffer";
import { createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import { WireReader } from "./wire.ts";

/** `application`: of a key on a device (FIDO), which signs with a counter. */
export type SshKey = { kind: string; key: KeyObject; application: Buffer | undefined };

type Jwk = { kty: "OKP" | "EC" | "RSA" } & Partial<Record<"crv" | "x" | "y" | "e" | "n", string>>;

const curves = {
  nistp256: { crv: "P-256", bytes: 32, digest: "sha256" },
  nistp384: { crv: "P-384", bytes: 48, digest: "sha384" },
  nistp521: { crv: "P-521", bytes: 66, digest: "sha512" },
} as const;
type Curve = keyof typeof curves;
const ecdsa = "ecdsa-sha2-";
const onDevice = {
  ed25519: "sk-ssh-ed25519@openssh.com",
  ecdsa: "sk-ecdsa-sha2-nistp256@openssh.com",
};
const rsaDigests = new Map([
  ["rsa-sha2-256", "sha256"],
  ["rsa-sha2-512", "sha512"],
]);
const rsaBits = { least: 2048, most: 16_384 };
/** The person touched the device. */
const touched = 1;

/** Undefined for a kind that is not taken, and for what is no key. */
export function readSshKey(blob: Buffer): SshKey | undefined {
  const wire = new WireReader(blob);
  const kind = wire.text();
  try {
    return keyOf(kind, wire);
  } catch {
    // The library refuses a point that is not on its curve.
    return undefined;
  }
}

function keyOf(kind: string, wire: WireReader): SshKey | undefined {
  const key = keyIn(kind, wire);
  const isDevice = Object.values(onDevice).includes(kind);
  const application = isDevice ? wire.string() : undefined;
  if (key === undefined || !wire.isAtEnd) return undefined;
  return { kind, key: createPublicKey({ key, format: "jwk" }), application };
}

function keyIn(kind: string, wire: WireReader): Jwk | undefined {
  if (kind === "ssh-ed25519" || kind === onDevice.ed25519) {
    const raw = wire.string();
    return raw.length === 32 ? { kty: "OKP", crv: "Ed25519", x: base64url(raw) } : undefined;
  }
  if (kind === "ssh-rsa") {
    const [e, n] = [wire.digits(), wire.digits()];
    if (e === undefined || n === undefined) return undefined;
    const bits = bitsOf(n);
    if (bits < rsaBits.least || bits > rsaBits.most || bitsOf(e) > 24) return undefined;
    return { kty: "RSA", e: base64url(e), n: base64url(n) };
  }
  const curve = curveOf(kind);
  if (curve === undefined || wire.text() !== curve) return undefined;
  const point = wire.string();
  const { crv, bytes } = curves[curve];
  // The other forms of a point are not written by SSH.
  if (point.length !== 1 + 2 * bytes || point[0] !== 4) return undefined;
  const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)];
  return { kty: "EC", crv, x: base64url(x), y: base64url(y) };
}

function curveOf(kind: string): Curve | undefined {
  if (kind === onDevice.ecdsa) return "nistp256";
  const name = kind.startsWith(ecdsa) ? kind.slice(ecdsa.length) : "";
  return Object.hasOwn(curves, name) ? (name as Curve) : undefined;
}

/** `blob`: a signature as SSH writes it, with the name of its algorithm. */
export function isSignedBy({ kind, key, application }: SshKey, data: Buffer, blob: Buffer) {
  const wire = new WireReader(blob);
  const algorithm = wire.text();
  const signature = wire.string();
  let signed = data;
  if (application !== undefined) {
    const [flags, counter] = [wire.bytes(1), wire.bytes(4)];
    if (((flags[0] ?? 0) & touched) === 0) return false;
    signed = Buffer.concat([sha256(application), flags, counter, sha256(data)]);
  }
  if (!wire.isAtEnd) return false;
  const rsaDigest = rsaDigests.get(algorithm);
  if (kind === "ssh-rsa")
    return rsaDigest !== undefined && verify(rsaDigest, signed, key, signature);
  if (algorithm !== kind) return false;
  const curve = curveOf(kind);
  if (curve === undefined) return signature.length === 64 && verify(null, signed, key, signature);
  const { bytes, digest } = curves[curve];
  const pair = new WireReader(signature);
  const [r, s] = [pair.positive(bytes), pair.positive(bytes)];
  if (r === undefined || s === undefined || !pair.isAtEnd) return false;
  const dsaEncoding = "ieee-p1363";
  return verify(digest, signed, { key, dsaEncoding }, Buffer.concat([r, s]));
}

function bitsOf(number: Buffer): number {
  const digits = number.toString("hex").replace(/^0+/, "");
  return (
    digits.length * 4 -
    (digits === "" ? 0 : Math.clz32(Number.parseInt(digits.slice(0, 1), 16)) - 28)
  );
}

function base64url(bytes: Buffer): string {
  return bytes.toString("base64url");
}

function sha256(bytes: Buffer): Buffer {
  return hash("sha256", bytes, "buffer");
}
