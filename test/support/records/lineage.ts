// Artefacts that derive from one another, each a millisecond younger than the one before.
import type { Artefact } from "../../../lib/model/artefact.ts";
import { sampleArtefact } from "./sample.ts";

let made = 0;

/** A goal without sources; otherwise a report of the coder that shares its first source's goal. */
export function derived(sources: readonly Artefact[], over: Partial<Artefact> = {}): Artefact {
  const [first] = sources;
  return sampleArtefact({
    created_at: new Date(Date.UTC(2026, 0, 1) + made++).toISOString(),
    ...(first === undefined
      ? {}
      : { goal_id: first.goal_id, type: "Report", produced_by_role: "coder" }),
    source_artefacts: sources.map((source) => source.id),
    ...over,
  });
}

/** The next version in the thread of `before`, as a rework makes it. */
export function nextVersion(before: Artefact, reviews: readonly Artefact[] = []): Artefact {
  const { logical_id, version, type, structural_type } = before;
  return derived([before, ...reviews], { logical_id, version: version + 1, type, structural_type });
}
