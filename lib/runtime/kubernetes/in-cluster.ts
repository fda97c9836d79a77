// The cluster in which this program runs, as its account: each pod that has one finds it so.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../../model/errors.ts";
import { accountFolder } from "./account-objects.ts";
import type { ClusterAccess } from "./kubeconfig.ts";

/** Throws `environment-invalid` outside of a cluster. */
export async function ownCluster(
  { host, port }: { host: string | undefined; port: number },
  folder = accountFolder,
): Promise<ClusterAccess> {
  if (host === undefined)
    throw new SettError("environment-invalid", "KUBERNETES_SERVICE_HOST is not set.", {
      hint: "A cluster sets it in each pod.",
    });
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    ...{ context: "of this pod", server: `https://${name}:${port}`, namespace: undefined },
    ...{ ca: await readFile(join(folder, "ca.crt"), "utf8"), serverName: undefined },
    isUnverified: false,
    // The kubelet renews it there before it expires.
    credential: async () => ({
      authorization: `Bearer ${(await readFile(join(folder, "token"), "utf8")).trim()}`,
    }),
  };
}
