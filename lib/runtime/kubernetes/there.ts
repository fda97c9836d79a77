// Reads what a cluster has of an instance already, so that manifests can name it.
import { z } from "zod";
import type { InstanceName } from "../../model/ids.ts";
import { componentLabel, madeLabel } from "../labels.ts";
import { hostsOf } from "./apply.ts";
import { KubeClient } from "./client.ts";
import { listWorkloads } from "./inspect.ts";
import { findCluster } from "./kubeconfig.ts";
import { selectorOf } from "./manifests.ts";
import type { There } from "./render.ts";

type Where = {
  context: string | undefined;
  namespace: string;
  env: Readonly<Record<string, string | undefined>>;
};

const Secrets = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({
          name: z.string(),
          labels: z.record(z.string(), z.string()).default({}),
        }),
        data: z.record(z.string(), z.string()).nullish(),
      }),
    )
    .nullish(),
});

/** `password`: of the instance, where a Secret of Redis' has it. Throws what the client throws. */
export async function readThere(
  { context, namespace, env }: Where,
  instance: InstanceName,
): Promise<There & { password: string | undefined }> {
  const client = new KubeClient(await findCluster(env, context));
  const selector = selectorOf(instance);
  const [hosts, workloads, listed] = await Promise.all([
    hostsOf({ client, namespace }, instance),
    listWorkloads({ client, namespace }, `,${selector}`),
    client.list("Secret", namespace, selector),
  ]);
  const secrets = (Secrets.parse(listed).items ?? []).map(({ metadata, data }) => ({
    ...metadata,
    values: Object.fromEntries(
      Object.entries(data ?? {}).map(([name, value]) => [name, textOf(value)]),
    ),
  }));
  const parts = workloads.map(({ metadata, spec }) => {
    const [container] = spec.template.spec.containers;
    const secret = container?.envFrom[0]?.secretRef.name;
    return [metadata.name, { made: metadata.labels[madeLabel] ?? "", secret }] as const;
  });
  return {
    hosts: hosts.filter(({ address }) => address !== "" && address !== "None"),
    parts: new Map(parts),
    secrets: new Map(secrets.map(({ name, values }) => [name, values])),
    password: secrets
      .filter(({ labels }) => labels[componentLabel] === "redis")
      .flatMap(({ values }) => values.REDISCLI_AUTH ?? [])[0],
  };
}

function textOf(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}
