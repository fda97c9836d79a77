// The instances of a repository that was in another folder when they were made: a person has moved
// or renamed it. The labels of their parts name the folder of then, and Docker changes no label of
// a volume; what the repository knows of them has moved along with it.
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import type { RepositoryPlace } from "../../../lib/git/run/find-repository.ts";
import { idsOf } from "../../../lib/runtime/own-part.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { workspaceOf } from "./workspace-of.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The parts as their labels have them, and as if they had been made where the repository is. */
export type MovedInstance = { was: InstanceParts; now: InstanceParts };

/**
 * Lists those of `all` that the repository at `workspace` had in another folder. Empty where git
 * cannot use the repository, which is then known by the labels alone.
 */
export async function movedInto(
  all: readonly InstanceParts[],
  workspace: string,
  env: Env,
): Promise<MovedInstance[]> {
  const homeless = all.filter((parts) => hasLostPlace(parts, workspace));
  if (homeless.length === 0) return [];
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  const open = HostRepository.open(workspace, { env, mayBeEmpty: true });
  const repository = await open.catch(() => undefined);
  if (repository === undefined) return [];
  const now = await whereTheyAre(homeless, repository.place, env);
  return homeless.flatMap((was, at) => {
    const parts = now[at];
    return parts !== undefined && workspaceOf(parts) === workspace ? [{ was, now: parts }] : [];
  });
}

/**
 * The parts of all instances, as if those of this repository had been made where it is now. `env`:
 * the whole environment of git.
 */
export async function whereTheyAre(
  all: readonly InstanceParts[],
  place: RepositoryPlace,
  env: Env,
): Promise<InstanceParts[]> {
  return await Promise.all(
    all.map(async (parts) =>
      (await isMoved(parts, place, env)) ? withWorkspace(parts, place.toplevel) : parts,
    ),
  );
}

/**
 * Whether no repository is where the labels say, or only a link to the one at `workspace`. One that
 * is there keeps its instance: the other is a copy.
 */
function hasLostPlace(parts: InstanceParts, workspace: string): boolean {
  const before = workspaceOf(parts);
  if (before === "" || before === workspace) return false;
  const isThere = [join(before, ".git"), join(before, "objects")].some(existsSync);
  return !isThere || realpathSync(before) === workspace;
}

async function isMoved(parts: InstanceParts, place: RepositoryPlace, env: Env): Promise<boolean> {
  const { instance, containers, networks, volumes } = parts;
  if (!hasLostPlace(parts, place.toplevel)) return false;
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
