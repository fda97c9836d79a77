// Says of the value of a secret why agents write it by accident, or why it cannot be masked: for
// `sett up` and `sett doctor`.
import type { Buffer } from "node:buffer";
import { commonValue } from "../../../lib/model/common-value.ts";

/** A shorter value cannot be masked: it is found in what has nothing to do with it. */
export const minBytes = 8;

export const effectOfWeak =
  "Agents write such a value without knowing it: it is masked in what they write, and commits that have it are refused.";
export const remedyForWeak = "Replace it by a longer one at random.";

/**
 * Names what the value is, as a noun with its article or an adjective; undefined for a value that
 * is none of these.
 */
export function weaknessOf(value: Buffer): string | undefined {
  const { length } = value.toString("latin1").trim();
  if (length < minBytes) return `shorter than ${minBytes} bytes`;
  return commonValue(value.toString("utf8"));
}
