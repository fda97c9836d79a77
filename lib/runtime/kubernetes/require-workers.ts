// A person and a cluster must have these before workers can run there. Nothing is made.
import type { KubeClient } from "./client.ts";
import { isWorkersNamespace } from "./namespace.ts";
import { requireRights, rights, starterRights, workersRights } from "./rights.ts";
import { workersNamespace } from "./workers-namespace.ts";

const makesNamespaces = { group: "", resource: "namespaces", verbs: ["create", "delete"] };

/** `home`: the namespace of the instance. Throws `kubernetes-failed` and `config-invalid`. */
export async function requireWorkers(client: KubeClient, home: string): Promise<void> {
  const namespace = workersNamespace(home);
  await requireRights(client, home, [...rights, ...starterRights]);
  const isThere = await isWorkersNamespace(client, namespace);
  const made = isThere ? [] : [makesNamespaces];
  await requireRights(client, namespace, [...workersRights, ...made]);
}
