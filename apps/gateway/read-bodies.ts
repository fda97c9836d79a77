// `gateway --read-bodies`: the stored bodies of calls, for the command line, which has no access to
// the volume.
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";
import { orderIn } from "../../lib/service/order-in.ts";
import { pathOfBody } from "./body-store.ts";

const Digests = z.array(z.string().regex(/^[0-9a-f]{64}$/));

/** Text where it is valid UTF-8. */
export type ReadBody = { digest: string } & (
  | { text: string }
  | { base64: string }
  | { missing: true }
);

/** `order`: JSON, a list of digests. Throws `usage`. */
export function parseDigests(order: string): string[] {
  return orderIn(order, {
    shape: Digests,
    what: "The digests",
    hint: 'Write a JSON list of SHA-256 digests: ["ab12…"]',
  });
}

export async function readBody(folder: string, digest: string): Promise<ReadBody> {
  let bytes: Uint8Array;
  try {
    bytes = await promisify(gunzip)(await readFile(pathOfBody(folder, digest)));
  } catch {
    return { digest, missing: true };
  }
  try {
    return {
      digest,
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    };
  } catch {
    return { digest, base64: Buffer.from(bytes).toString("base64") };
  }
}
