// The instances of a repository that was in another folder when they were made: a person has moved
// or renamed it. The labels of their parts name the folder of then, and Docker changes no label of
// a volume; what the repository knows of them has moved along with it.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import type { RepositoryPlace } from "../../../lib/git/run/find-repository.ts";
import { idsOf } from "../../../lib/runtime/own-part.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { workspaceOf } from "./find-instance.ts";

/**
 * The parts of all instances, as if those of this repository had been made where it is now. `env`:
 * the whole environment of git.
 */
export async function whereTheyAre(
  all: readonly InstanceParts[],
  place: RepositoryPlace,
  env: Readonly<Record<string, string | undefined>>,
): Promise<InstanceParts[]> {
  return await Promise.all(
    all.map(async (parts) =>
      (await isMoved(parts, place, env)) ? withWorkspace(parts, place.toplevel) : parts,
    ),
  );
}

/**
 * A repository whose instance still has its own folder is a copy: the instance is that folder's.
 */
async function isMoved(
  parts: InstanceParts,
  place: RepositoryPlace,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { instance, containers, networks, volumes } = parts;
  const before = workspaceOf(parts);
  if (before === "" || before === place.toplevel || existsSync(before)) return false;
  const id = idsOf([...volumes, ...networks, ...containers]).get(instance);
  const kept = new KeptId(place, instance, env);
  if (id === undefined || id !== (await kept.read())) return false;
  // Worktrees have one configuration together, and each may have instances of its own.
  const worktree = await kept.readWorktree();
  return worktree !== undefined && resolve(place.commonDir, worktree) === place.toplevel;
}

function withWorkspace(
  { instance, containers, networks, volumes }: InstanceParts,
  workspace: string,
): InstanceParts {
  const moved = <Part extends { labels: { workspace: string } }>(part: Part) => ({
    ...part,
    labels: { ...part.labels, workspace },
  });
  return {
    instance,
    containers: containers.map(moved),
    networks: networks.map(moved),
    volumes: volumes.map(moved),
  };
}
