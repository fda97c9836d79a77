// Instances whose blackboard is gone while they are down: its volume was removed, and no `sett up`
// has begun another one yet. Git still knows them.
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import { type KeptRef, keptRefs } from "../../../lib/git/repository/kept-refs.ts";
import type { RepositoryPlace } from "../../../lib/git/run/find-repository.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import { workspaceOf } from "./workspace-of.ts";

/**
 * By instance, the goals and results that git still has: of those of `found` (all instances of this
 * machine), and of those that the repository of `cwd` knows and of which nothing else is left.
 */
export async function goneBlackboards(
  found: readonly InstanceParts[],
  { cwd, env }: Pick<Shell, "cwd" | "env">,
): Promise<Map<InstanceName, KeptRef[]>> {
  const gone = new Map<InstanceName, KeptRef[]>();
  const look = async (place: RepositoryPlace, instance: InstanceName) => {
    const refs = await keptRefs(place, instance, env);
    if (refs.length > 0) gone.set(instance, refs);
  };
  const lacking = found.filter((parts) => !hasBlackboard(parts));
  for (const parts of lacking) {
    const place = await placeOf(workspaceOf(parts), env);
    if (place !== undefined) await look(place, parts.instance);
  }
  const place = await placeOf((await workspaceRoot(cwd)) ?? "", env);
  if (place === undefined) return gone;
  for (const instance of await KeptId.instances(place, env)) {
    const isThere = found.some((parts) => parts.instance === instance && hasBlackboard(parts));
    if (!isThere && !gone.has(instance)) await look(place, instance);
  }
  return gone;
}

function hasBlackboard({ volumes }: InstanceParts): boolean {
  return volumes.some(({ labels }) => labels.component === "blackboard");
}

/** Undefined where git cannot use it. */
async function placeOf(workspace: string, env: Shell["env"]): Promise<RepositoryPlace | undefined> {
  if (workspace === "") return undefined;
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  const open = HostRepository.open(workspace, { env, mayBeEmpty: true });
  return (await open.catch(() => undefined))?.place;
}
