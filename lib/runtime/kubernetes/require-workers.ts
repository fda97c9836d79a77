// A person and a cluster must have these before workers can run there. Nothing is made.
import { z } from "zod";
import { SettError } from "../../model/errors.ts";
import type { KubeClient } from "./client.ts";
import { isWorkersNamespace } from "./namespace.ts";
import { accountRights, requireRights, rights, workersRights } from "./rights.ts";
import { workersNamespace } from "./workers-namespace.ts";

const makesNamespaces = { group: "", resource: "namespaces", verbs: ["create", "delete"] };

/** `home`: the namespace of the instance. Throws `kubernetes-failed` and `config-invalid`. */
export async function requireWorkers(client: KubeClient, home: string): Promise<void> {
  const namespace = workersNamespace(home);
  await requireAccounts(client, home);
  const isThere = await isWorkersNamespace(client, namespace);
  const made = isThere ? [] : [makesNamespaces];
  await requireRights(client, namespace, [...workersRights, ...made]);
}

/** A person may give an account only what this person may do. Throws `kubernetes-failed`. */
export async function requireAccounts(client: KubeClient, home: string): Promise<void> {
  await requireRights(client, home, [...rights, ...accountRights]);
}

/** The first one whose pods can have containers that start before others and last as long. */
const sidecarsSince = { major: 1, minor: 29 };
const Version = z.object({ gitVersion: z.string().default("") });

/** Agents with services beside them need this. Throws `config-invalid`. */
export async function requireSidecars(client: KubeClient): Promise<void> {
  const { gitVersion } = Version.parse(await client.json("/version"));
  const [, major, minor] = (/^v?(\d+)\.(\d+)/.exec(gitVersion) ?? []).map(Number);
  if (major === undefined || minor === undefined) return;
  if (major > sidecarsSince.major || minor >= sidecarsSince.minor) return;
  throw new SettError(
    "config-invalid",
    `The cluster is Kubernetes ${gitVersion}, which cannot run services beside an agent.`,
    { hint: "Upgrade it to 1.29 or newer, or leave `services` of the agents out." },
  );
}
