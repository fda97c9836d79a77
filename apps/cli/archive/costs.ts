// Adds up what the artefacts of an archive have cost in calls of language models.
import { type Cost, callsByArtefact, costOf } from "../../../lib/core/call-costs.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import type { CallRecord } from "../../../lib/model/model-call.ts";
import { readArchive } from "./read.ts";

type Made = Pick<Artefact, "id" | "claim_id" | "produced_by_agent" | "created_at">;

/** Undefined for an archive without calls. Throws `archive-unusable`. */
export async function readArchivedCosts(path: string): Promise<Map<ArtefactId, Cost> | undefined> {
  const made: Made[] = [];
  const calls: CallRecord[] = [];
  for await (const line of readArchive(path)) {
    if ("call" in line) calls.push(line.call);
    if (!("artefact" in line)) continue;
    const { id, claim_id, produced_by_agent, created_at } = line.artefact;
    made.push({ id, claim_id, produced_by_agent, created_at });
  }
  if (calls.length === 0) return undefined;
  return new Map(
    [...callsByArtefact(made, calls)].map(([id, ofArtefact]) => [id, costOf(ofArtefact)]),
  );
}
