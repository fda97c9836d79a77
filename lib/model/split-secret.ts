// A secret in two halves, each of which says nothing without the other. A container's environment
// is seen by every program that starts in it, such as a health check, and a program's arguments by
// every user of the machine. One half goes each way, and only process 1 ever has both.
import { createHmac } from "node:crypto";

/** Each is hexadecimal. */
export type Halves = { environment: string; argument: string };

/** The same for the same secret, which must be too long to be guessed. */
export function splitSecret(secret: string): Halves {
  const bytes = new TextEncoder().encode(secret);
  const key = keyFor(secret, bytes.length);
  return { environment: hexOf(xor(bytes, key)), argument: hexOf(key) };
}

export function joinSecret({ environment, argument }: Halves): string {
  return new TextDecoder().decode(xor(bytesOf(environment), bytesOf(argument)));
}

/** No one computes it without the secret, nor the secret from it. */
function keyFor(secret: string, length: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let count = 0; count * 32 < length; count++)
    blocks.push(createHmac("sha256", secret).update(`half of a secret ${count}`).digest());
  return Uint8Array.from(blocks.flatMap((block) => [...block])).subarray(0, length);
}

function xor(one: Uint8Array, other: Uint8Array): Uint8Array {
  return one.map((byte, at) => byte ^ (other[at] ?? 0));
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
