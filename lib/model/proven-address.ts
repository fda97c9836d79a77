// The place of a service that is reached by TLS, with all that a caller needs to be known there, as
// one URL: `tls://WAY:KEY@HOST:PORT/?authority=…`. It is a secret, as a URL with a password is.
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { SettError } from "./errors.ts";

/** The port of a service for callers by TLS. */
export const provenPort = 8443;

/** The only caller of the starter of workers. */
export const starterCaller = "orchestrator";

/** The only caller of the reader of logs. */
export const logReaderCaller = "api";

/**
 * A caller proves itself with this, and knows the service by it. `way`: who it is there, mostly an
 * agent's name. `key`: of this way, in hexadecimal digits. `authority`: the certificate, in DER, of
 * the one that signs those of the service.
 */
export type Proof = { way: string; key: string; authority: Uint8Array };
/** `isSealed`: the key is none without the caller's password of Redis. */
export type ProvenAddress = Proof & { host: string; port: number; isSealed?: true };

export const provenProtocol = "tls:";

export function writeAddress(address: ProvenAddress): string {
  const { host, port, way, key, authority, isSealed } = address;
  const name = host.includes(":") ? `[${host}]` : host;
  const signer = Buffer.from(authority).toString("base64url");
  const seal = isSealed ? "&key=sealed" : "";
  return `${provenProtocol}//${encodeURIComponent(way)}:${key}@${name}:${port}/?authority=${signer}${seal}`;
}

/**
 * With a key that is none without this password. A container's environment has the address, and
 * other programs of the container may read it there.
 */
export function sealed(address: ProvenAddress, password: string): ProvenAddress {
  return { ...address, key: sealedKey(address, password), isSealed: true };
}

/** Another address as it is. */
export function opened(address: ProvenAddress, password: string): ProvenAddress {
  const { isSealed, ...plain } = address;
  return isSealed ? { ...plain, key: sealedKey(address, password) } : address;
}

/** Done twice it is the key again. A seal is for one service alone. */
function sealedKey({ key, authority }: ProvenAddress, password: string): string {
  const pad = createHmac("sha256", password).update("seal of a proof").update(authority).digest();
  return Buffer.from(Buffer.from(key, "hex").map((byte, at) => byte ^ (pad[at] ?? 0))).toString(
    "hex",
  );
}

/** Throws `environment-invalid`, without a word of the key. */
export function readAddress(url: string): ProvenAddress {
  const parsed = new URL(url);
  const authority = Buffer.from(parsed.searchParams.get("authority") ?? "", "base64url");
  const [port, key] = [Number(parsed.port), parsed.password];
  if (port === 0 || parsed.username === "" || !/^[0-9a-f]{64}$/.test(key) || authority.length === 0)
    throw new SettError(
      "environment-invalid",
      `The address of the service at ${parsed.host} is not whole.`,
      { hint: "It is tls://WAY:KEY@HOST:PORT/?authority=CERTIFICATE, as `sett up` writes it." },
    );
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  const isSealed = parsed.searchParams.get("key") === "sealed";
  const way = decodeURIComponent(parsed.username);
  return { host, port, way, key, authority, ...(isSealed && { isSealed }) };
}
