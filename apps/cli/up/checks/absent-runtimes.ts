// Finds agents for which sett.yml names a runtime that the Engine takes by its name, but does not
// have.
import type { SettConfig } from "../../../../lib/model/config.ts";
import { runtimeOf } from "../../../../lib/model/isolation.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import type { Engine } from "../../../../lib/runtime/port.ts";
import { type Finding, isolationKeys, unknownRuntime } from "./beyond-engine.ts";

/** `known`: the runtimes that the Engine lists. Only others are tried, each once. */
export async function absentRuntimes(
  config: Pick<SettConfig, "agents" | "isolation">,
  engine: Pick<Engine, "takesRuntime"> & { known: readonly string[]; labels: PartLabels },
): Promise<Finding[]> {
  const { known, labels } = engine;
  const isUnlisted = (wish: string) => !known.includes(runtimeOf(wish, known) ?? wish);
  const keys = isolationKeys(config).filter(({ wish }) => isUnlisted(wish));
  const absent = new Set<string>();
  for (const wish of new Set(keys.map((key) => key.wish)))
    if (!(await engine.takesRuntime(wish, labels))) absent.add(wish);
  return keys
    .filter(({ wish }) => absent.has(wish))
    .map(({ path, wish }) => ({ path, sentence: unknownRuntime(wish, known) }));
}
