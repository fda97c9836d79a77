// The digests of all artefacts in an archive, in one pass.
import { createHash } from "node:crypto";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { readArchive } from "./read.ts";
import { recordOfLine } from "./record-of-line.ts";

export async function recordDigests(path: string): Promise<Map<ArtefactId, string>> {
  const digests = new Map<ArtefactId, string>();
  for await (const line of readArchive(path)) {
    const record = "artefact" in line ? recordOfLine(line) : undefined;
    if ("artefact" in line && record !== undefined)
      digests.set(line.artefact.id, digestOfRecord(record));
  }
  return digests;
}

/** `record`: in base64. */
export function digestOfRecord(record: string): string {
  return createHash("sha256").update(record, "base64").digest("hex");
}
