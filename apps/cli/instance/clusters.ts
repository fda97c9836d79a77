// The instances of a repository that are in a cluster. The repository's configuration says where
// they are: no other file of this machine does, and no cluster is asked without need.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Runtime } from "../../../lib/runtime/port.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import { anothers } from "./workspace-of.ts";

/** `context`: of the kubeconfig. */
export type ClusterPlace = { context: string | undefined; namespace: string };

/** The repository knows this of an instance in a cluster. `id`: the instance's own. */
export type KnownCluster = ClusterPlace & { instance: InstanceName; id: string | undefined };

type Surroundings = Pick<Shell, "cwd" | "env">;

export async function knownClusters({ cwd, env }: Surroundings): Promise<KnownCluster[]> {
  const workspace = await workspaceRoot(cwd).catch(() => undefined);
  if (workspace === undefined || !(await mayHaveCluster(workspace))) return [];
  const { KeptId } = await import("../../../lib/git/repository/kept-id.ts");
  const known = await KeptId.known(workspace, env);
  return known.flatMap(({ instance, id, place }) =>
    place === undefined ? [] : [{ instance, id, ...readPlace(place) }],
  );
}

/** Git takes its time to start, and most repositories have nothing in a cluster. */
async function mayHaveCluster(workspace: string): Promise<boolean> {
  for (const path of [".git/config", "config"]) {
    const text = await readFile(join(workspace, path), "utf8").catch(() => undefined);
    if (text !== undefined) return /^\s*kubernetes\s*=/m.test(text);
  }
  // A linked worktree has a file in place of the folder.
  return true;
}

export function writePlace({ context, namespace }: ClusterPlace): string {
  return context === undefined ? namespace : `${namespace} ${context}`;
}

function readPlace(text: string): ClusterPlace {
  const [namespace = "", ...context] = text.split(" ");
  return { namespace, context: context.length === 0 ? undefined : context.join(" ") };
}

/**
 * The runtime of a place. `ids`: the instances that are this repository's, with their ids; one that
 * `sett up` makes is added. Throws `kubernetes-unreachable`.
 */
export async function openCluster(
  { context, namespace }: ClusterPlace,
  { cwd, env, interrupted, messages }: Surroundings & Pick<Shell, "interrupted" | "messages">,
  ids: ReadonlyMap<InstanceName, string>,
): Promise<Runtime> {
  // It has a client of its own, which no other command needs.
  const { kubernetesRuntime } = await import("../../../lib/runtime/kubernetes/runtime.ts");
  const own = (await workspaceRoot(cwd)) ?? "";
  const workspaceOf = (instance: InstanceName, id: string | undefined) =>
    id !== undefined && ids.get(instance) === id ? own : anothers;
  const onSlow = messages.note;
  return await kubernetesRuntime({ context, namespace, env, workspaceOf, interrupted, onSlow });
}

/** Undefined where the kubeconfig is none that can be used: opening the place says why. */
export async function currentContext({ env }: Pick<Shell, "env">): Promise<string | undefined> {
  const { findCluster } = await import("../../../lib/runtime/kubernetes/kubeconfig.ts");
  return (await findCluster(env, undefined).catch(() => undefined))?.context;
}

/** The note of an earlier version names no context. */
export function isOtherPlace(before: ClusterPlace, now: ClusterPlace): boolean {
  const isOtherContext = before.context !== undefined && before.context !== now.context;
  return before.namespace !== now.namespace || isOtherContext;
}

export function idsIn(
  known: readonly Pick<KnownCluster, "instance" | "id">[],
): Map<InstanceName, string> {
  return new Map(
    known.flatMap(({ instance, id }) => (id === undefined ? [] : [[instance, id] as const])),
  );
}

/** Also of one that another clone has started, whose id a person has written here. */
export async function keptIds({ cwd, env }: Surroundings): Promise<Map<InstanceName, string>> {
  const workspace = await workspaceRoot(cwd);
  if (workspace === undefined) return new Map();
  const { KeptId } = await import("../../../lib/git/repository/kept-id.ts");
  return idsIn(await KeptId.known(workspace, env));
}
