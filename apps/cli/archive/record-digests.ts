// The digests of all artefacts in an archive, in one pass.
import { createHash } from "node:crypto";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { readArchive } from "./read.ts";
import { recordOfLine } from "./record-of-line.ts";

/** `erased`: artefacts that have no record any more. */
export async function recordDigests(
  path: string,
): Promise<{ digests: Map<ArtefactId, string>; erased: Set<ArtefactId> }> {
  const digests = new Map<ArtefactId, string>();
  const erased = new Set<ArtefactId>();
  for await (const line of readArchive(path)) {
    if (!("artefact" in line)) continue;
    const record = recordOfLine(line);
    if (record === undefined) erased.add(line.artefact.id);
    else digests.set(line.artefact.id, digestOfRecord(record));
  }
  return { digests, erased };
}

/** `record`: in base64. */
export function digestOfRecord(record: string): string {
  return createHash("sha256").update(record, "base64").digest("hex");
}
