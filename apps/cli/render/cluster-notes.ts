// Says what a cluster says of parts and workers that do not run, and of pods that it has taken.

import { partName } from "../../../lib/runtime/part-name.ts";
import type { ContainerPart } from "../../../lib/runtime/port.ts";
import { agoOf } from "../../../lib/words/age.ts";

export type ClusterNote = { part: string; sentence: string };

/** The cluster lists a pod that it has taken for days. */
const shownForMs = 3_600_000;

/** `removed`: the names of parts that are not there any more. */
export function clusterNotesOf(
  containers: readonly Pick<ContainerPart, "labels" | "name" | "problem" | "taken" | "waiting">[],
  nowMs: number,
  removed: readonly string[] = [],
): ClusterNote[] {
  const missing = removed.map((part) => ({ part, sentence: wasRemoved }));
  const notes = containers.flatMap(({ problem, taken, waiting = [], ...names }) => {
    const part = partName(names);
    const isNews = taken !== undefined && nowMs - Date.parse(taken.at) < shownForMs;
    return [
      ...(problem === undefined ? [] : [{ part, sentence: `does not run: ${problem.sentence}` }]),
      ...(isNews
        ? [{ part, sentence: `lost a pod ${agoOf(taken.at, nowMs)}: ${taken.sentence}` }]
        : []),
      ...waiting.map(({ name, sentence: says }) => ({ part: name, sentence: `waits: ${says}` })),
    ];
  });
  return [...missing, ...notes];
}

const wasRemoved = "is missing: a person or a program has removed it; `sett up` makes it again";
