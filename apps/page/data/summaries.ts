// The summaries of artefacts that events name: read once for a goal, and again where one is new.
import { useEffect, useSyncExternalStore } from "react";
import { getJson } from "./api.ts";
import type { ArtefactItem, Page } from "./contract.ts";

/** More artefacts of a goal are not read. */
const limit = 500;
/** A goal that grows is read at most once in this time. */
const againMs = 2_000;
const maxKept = 20_000;

const known = new Map<string, string>();
const readAt = new Map<string, number>();
const watchers = new Set<() => void>();

/** Undefined until it is read, and where there is none. */
export function useSummary(
  goal: string | undefined,
  artefact: string | undefined,
): string | undefined {
  const summary = useSyncExternalStore(watch, () => known.get(artefact ?? ""));
  useEffect(() => {
    if (goal !== undefined && artefact !== undefined && !known.has(artefact)) void read(goal);
  }, [goal, artefact]);
  return summary === "" ? undefined : summary;
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

/** Never rejects: without summaries the log says all the rest. */
async function read(goal: string): Promise<void> {
  if (Date.now() - (readAt.get(goal) ?? 0) < againMs) return;
  readAt.set(goal, Date.now());
  const query = { goal, limit, order: "desc" };
  const page = await getJson<Page<ArtefactItem>>("/v1/artefacts", query).catch(() => undefined);
  if (page === undefined) return;
  if (known.size > maxKept) known.clear();
  for (const { id, metadata } of page.items) known.set(id, metadata.summary ?? "");
  for (const watcher of watchers) watcher();
}
