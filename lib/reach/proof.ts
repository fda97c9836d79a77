// The first bytes of a connection to a service, before any of the command's: who calls, and a proof
// of it. The proof is made of a value that the two ends of this one connection alone know (RFC
// 9266), so that it proves nothing on another connection.
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { proofKeyOf } from "./keys.ts";

/** A byte for the version, a byte for the length of the name, the name, and the proof. */
const version = 1;
const headBytes = 2;
const proofBytes = 32;
const label = "EXPORTER-sett-reach";

type Connection = Pick<TLSSocket, "exportKeyingMaterial">;

/** `key`: of this way, in hexadecimal digits. */
export function writeProof(connection: Connection, way: string, key: string): Buffer {
  const name = Buffer.from(way);
  return Buffer.concat([Buffer.from([version, name.length]), name, proofOf(connection, way, key)]);
}

/** `rest`: what has come behind the proof. */
export type Read =
  | { kind: "partial" }
  | { kind: "refused"; reason: string }
  | { kind: "proven"; way: string; rest: Buffer };

/** `bytes`: all that has come so far. `ways`: those that the service knows. */
export function readProof(
  connection: Connection,
  bytes: Buffer,
  { serviceKey, ways }: { serviceKey: string; ways: ReadonlySet<string> },
): Read {
  const [first, length] = bytes;
  if (first !== undefined && first !== version) return refused("it does not say who calls");
  if (length === undefined) return { kind: "partial" };
  const end = headBytes + length + proofBytes;
  if (bytes.length < end) return { kind: "partial" };
  const way = bytes.subarray(headBytes, headBytes + length).toString();
  const proof = bytes.subarray(end - proofBytes, end);
  const isProven = timingSafeEqual(proof, proofOf(connection, way, proofKeyOf(serviceKey, way)));
  // One answer for both, so that names cannot be tried.
  if (!isProven || !ways.has(way)) return refused("its proof is wrong");
  return { kind: "proven", way, rest: bytes.subarray(end) };
}

function proofOf(connection: Connection, way: string, key: string): Buffer {
  const shared = connection.exportKeyingMaterial(proofBytes, label, Buffer.from(way));
  return createHmac("sha256", key).update(shared).digest();
}

function refused(reason: string): Read {
  return { kind: "refused", reason };
}
