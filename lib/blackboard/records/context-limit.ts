// How much an agent can read beside its target. More would not fit the programs in between, nor
// most tools.
import { SettError } from "../../model/errors.ts";

/** Bytes of payloads and metadata. `limits.context` in sett.yml changes it. */
export const defaultContextBytes = 64 * 1024 * 1024;

/**
 * More is not collected in one function of Redis, which would block every other caller, but read in
 * pieces of about this size.
 */
export const pieceBytes = 256 * 1024;

/** The size that one artefact adds to a context. */
export type ContextPart = { id: string; type: string; bytes: number };

/** How many artefacts the error names. */
const maxNamed = 3;

/** Throws `context-too-large`, naming the largest. */
export function checkContext(parts: readonly ContextPart[], maxBytes: number): void {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes <= maxBytes) return;
  const largest = parts.toSorted((one, other) => other.bytes - one.bytes).slice(0, maxNamed);
  const names = largest.map(
    (part) => `${part.type} ${part.id.slice(0, 8)} (${inMegabytes(part.bytes)})`,
  );
  throw new SettError(
    "context-too-large",
    `The context of this work has ${inMegabytes(bytes)} in ${parts.length} artefacts, more than limits.context allows (${inMegabytes(maxBytes)}). The largest: ${names.join(", ")}. Have them handed over as commits, or raise limits.context in sett.yml.`,
  );
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)}M`;
}
