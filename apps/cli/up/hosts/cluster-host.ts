// An instance in a cluster: a Docker Engine builds its images, and a registry gives them to nodes.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { secretsOfServices } from "../../../../lib/config/resolve-secrets.ts";
import { needsWorkers } from "../../../../lib/model/agent.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import type { ClusterSecret } from "../../../../lib/model/config-secrets.ts";
import { clauseOf, SettError } from "../../../../lib/model/errors.ts";
import { KubeClient } from "../../../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../../../lib/runtime/kubernetes/kubeconfig.ts";
import { requireArchitecture } from "../../../../lib/runtime/kubernetes/require-architecture.ts";
import { requireNames } from "../../../../lib/runtime/kubernetes/require-names.ts";
import { readSecret, requireSecrets } from "../../../../lib/runtime/kubernetes/require-secrets.ts";
import {
  requireAccounts,
  requireSidecars,
  requireWorkers,
} from "../../../../lib/runtime/kubernetes/require-workers.ts";
import { kubernetesTranslation } from "../../../../lib/runtime/kubernetes/translate.ts";
import { workersNamespace } from "../../../../lib/runtime/kubernetes/workers-namespace.ts";
import { serviceContainer } from "../../../../lib/runtime/names.ts";
import type { Translation } from "../../../../lib/runtime/part-plan.ts";
import { minBytes } from "../../facts/weak-value.ts";
import { writePlace } from "../../instance/clusters.ts";
import type { FoundCluster } from "../../instance/runtimes.ts";
import { maxBytes } from "../../program/secret-source.ts";
import { apiPort } from "../../services/api.ts";
import { showsLogs } from "../../services/log-reader.ts";
import { requireCluster } from "../checks/require-cluster.ts";
import type { Images as Built } from "../images/images.ts";
import { pushImages } from "../images/push-images.ts";
import { placeInClaim } from "./data-place.ts";
import { engineHost } from "./engine-host.ts";
import type { Host, HostInput } from "./host.ts";

/** Redis must know its pod's limit, and sees the memory of its node. */
const redisMemoryBytes = 1024 ** 3;

export function clusterHost(found: FoundCluster, input: HostInput): Host {
  const { file, config: written, instance, progress, shell } = input;
  const config = inCluster(written);
  const docker = engineHost(found.engine, { ...input, config });
  return {
    config,
    isInContainer: true,
    isApart: true,
    secretIn: async (secret) => {
      const client = new KubeClient(await findCluster(shell.env, found.place.context));
      return await readSecret(client, found.place.namespace, secret);
    },
    prepare: docker.prepare,
    place: writePlace(found.place),
    takeNames: async ({ id }) => void found.ids.set(instance, id),
    isNear: async () => false,
    requireUsable: async (_, problemAt) => {
      requireCluster({ file, config: written, problemAt });
      const { namespace } = found.place;
      const agents = config.agents.filter(({ secrets }) => secrets.length > 0);
      const hasWorkers = config.agents.some(needsWorkers);
      requireNames(instance, config.agents);
      if (agents.length === 0 && !hasWorkers && !showsLogs(config)) return;
      const client = new KubeClient(await findCluster(shell.env, found.place.context));
      if (showsLogs(config)) await requireAccounts(client, namespace);
      if (hasWorkers) await requireWorkers(client, namespace);
      if (config.agents.some(({ services }) => services.length > 0)) await requireSidecars(client);
      const secrets = secretsIn(written);
      const bytes = { min: minBytes, max: maxBytes };
      const namedBy = (some: typeof agents) =>
        some.flatMap((agent) => agent.secrets.flatMap(({ name }) => secrets[name] ?? []));
      await requireSecrets(client, { namespace, bytes }, namedBy(agents));
      const withWorkers = agents.filter(needsWorkers);
      const workers = { namespace: workersNamespace(namespace), bytes };
      await requireSecrets(client, workers, namedBy(withWorkers));
    },
    images: async (known, built) => {
      const images = (await docker.images(known, built)) as Built;
      const client = new KubeClient(await findCluster(shell.env, found.place.context));
      const { cub: _, agents, beside, ...own } = images;
      const all = [...Object.values(own), ...agents.values(), ...beside.values()];
      const present = all.flatMap((image) => image ?? []);
      await requireArchitecture(client, present, written.kubernetes.node_selector);
      return await pushImages(images, {
        runtime: found.engine,
        ...{ instance, id: known.id, registry: written.images.push ?? "" },
        ...{ version: shell.version, progress, signal: shell.interrupted },
      });
    },
    translation: async () =>
      translationFor(written, found.place.namespace, await certificatesIn(written)),
    dataOf: (redis) => placeInClaim(redis, found.place.namespace),
    apiOf: (name) =>
      `the Service ${serviceContainer(name, "api")} in the namespace ${found.place.namespace}, port ${apiPort}. \`sett ui\` shows the page here`,
    tidy: async () => {},
  };
}

type Certificates = { path: string; id: string };

/** Throws `config-invalid`. */
async function certificatesIn({ models }: SettConfig): Promise<Certificates | undefined> {
  const { ca: path } = models.way;
  if (path === undefined) return undefined;
  try {
    const id = createHash("sha256")
      .update(await readFile(path))
      .digest("hex")
      .slice(0, 32);
    return { path, id };
  } catch (cause) {
    throw new SettError(
      "config-invalid",
      `models.ca: ${path} cannot be read: ${clauseOf(cause)}.`,
      {
        hint: "It is a file of certificates in PEM, from sett.yml, NODE_EXTRA_CA_CERTS or SSL_CERT_FILE.",
        cause,
      },
    );
  }
}

/** Pods are as sett.yml says. `namespace`: of the instance. */
export function translationFor(
  written: SettConfig,
  namespace: string,
  certificates?: Certificates,
): Translation {
  const { pull_secret: pullSecret, runtime_class, node_selector } = written.kubernetes;
  const { accept_open_network } = written.kubernetes;
  return kubernetesTranslation({
    ...{ namespace, pullSecret },
    runtimeClass: runtime_class,
    nodeSelector: node_selector,
    acceptsOpenNetwork: accept_open_network,
    certificates,
    secrets: secretsIn(written),
  });
}

/** The Secrets of the cluster, by their names in sett.yml. */
function secretsIn({ secrets }: SettConfig): Record<string, ClusterSecret> {
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([name, { kubernetes }]) =>
      kubernetes === undefined ? [] : [[name, kubernetes] as const],
    ),
  );
}

/** Pods share neither folders nor sockets, and agents have the cluster's own Secrets. */
export function inCluster(config: SettConfig): SettConfig {
  const { redis } = config.services;
  const memory_bytes = redis.resources.limits.memory_bytes ?? redisMemoryBytes;
  const resources = { ...redis.resources, limits: { ...redis.resources.limits, memory_bytes } };
  const reached = { packs: "service", reach: "tls" } as const;
  const services = { ...config.services, ...reached, redis: { ...redis, resources } };
  const { accept_open_network: isOpen } = config.kubernetes;
  const agents = config.agents.map((agent) => ({
    ...agent,
    ...(isOpen && agent.network !== "direct" && { open_network: isOpen }),
  }));
  const ofServices = secretsOfServices(config);
  const read = Object.entries(config.secrets).filter(
    ([name, source]) => source.kubernetes === undefined || ofServices.includes(name),
  );
  return { ...config, agents, services, secrets: Object.fromEntries(read) };
}
