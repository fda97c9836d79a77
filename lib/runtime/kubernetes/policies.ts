// Which connections the pods of a part may have, as NetworkPolicies. A cluster refuses all others
// where its network plug-in enforces policies, and nothing where it does not. Pure.
import { isIP } from "node:net";
import { provenPort } from "../../model/proven-address.ts";
import { type ServiceName, serviceNames } from "../../model/services.ts";
import type { ContainerSpec } from "../container-spec.ts";
import { openNetworkName } from "../names.ts";
import type { KubeObject } from "./client.ts";
import { apiVersionOf } from "./resources.ts";

const instanceLabel = "dev.sett.instance";
const componentLabel = "dev.sett.component";
const partLabel = "dev.sett.part";
const redisPort = 6379;

/** The port of each service that others of the instance reach, and who they are. */
const served: Partial<Record<ServiceName, { port: number; by: readonly string[] }>> = {
  redis: { port: redisPort, by: ["orchestrator", "agent", "gateway", "notary", "api", "forge"] },
  packs: { port: provenPort, by: ["agent", "examination", "api", "forge"] },
  gateway: { port: provenPort, by: ["agent"] },
  egress: { port: provenPort, by: ["agent", "examination"] },
  recorder: { port: provenPort, by: ["agent", "api"] },
  starter: { port: provenPort, by: ["orchestrator"] },
  "log-reader": { port: provenPort, by: ["api"] },
};

const all = "0.0.0.0/0";
/** Where clouds tell a machine its credentials; the last two are those of Alibaba and of Azure. */
const metadata = ["169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32"];
const dns = [
  { protocol: "UDP", port: 53 },
  { protocol: "TCP", port: 53 },
];

const anywhere = [{ ipBlock: { cidr: all, except: metadata } }];

const apiPort = 8443;

const asksCluster: readonly string[] = ["starter", "log-reader"];
/** Clusters have their API servers at these ports. */
const apiServerPorts = [443, 6443].map((port) => ({ protocol: "TCP", port }));

/** The services that a part of this kind reaches. A worker is an agent at work. */
export function servicesFor(component: string): ServiceName[] {
  const kind = component === "worker" ? "agent" : component;
  return serviceNames.filter((service) => served[service]?.by.includes(kind));
}

type Caged = Pick<ContainerSpec, "name" | "labels" | "network" | "placement" | "ports">;

/** `own`: the labels of the part's pods. `home`: where the services are, if not beside it. */
export function policyOf(spec: Caged, own: Record<string, string>, home?: string): KubeObject {
  const { name, labels } = spec;
  const { component, instance } = labels;
  const here = (components: readonly string[]) => podsOf(instance, components, home);
  const ofPort = (port: number) => [{ protocol: "TCP", port }];
  const own_ = Object.entries(served).find(([service]) => service === component)?.[1];
  const fromOwn = own_ === undefined ? [] : [{ from: [here(own_.by)], ports: ofPort(own_.port) }];
  // Tokens say who may ask the API: an Ingress is in another namespace.
  const isOpen = component === "api" && spec.ports?.some(({ port }) => port === apiPort);
  const inward = isOpen ? [{ ports: ofPort(apiPort) }] : fromOwn;
  const toServices = Object.entries(served).flatMap(([service, { port, by }]) =>
    by.includes(component) ? [{ to: [here([service])], ports: ofPort(port) }] : [],
  );
  const outside = reachesOutside(spec) ? [{ to: anywhere }, { ports: dns }] : [];
  const toCluster = asksCluster.includes(component)
    ? [{ to: anywhere, ports: apiServerPorts }]
    : [];
  const at = spec.placement?.reachesAt;
  const outward = [
    ...toServices,
    ...outside,
    ...toCluster,
    ...(at === undefined ? [] : toPlace(at)),
  ];
  return {
    apiVersion: apiVersionOf("NetworkPolicy"),
    kind: "NetworkPolicy",
    metadata: { name, labels: own },
    spec: {
      podSelector: { matchLabels: { [partLabel]: name } },
      policyTypes: ["Ingress", "Egress"],
      // A list that is empty is none on the server, and would differ each time.
      ...(inward.length > 0 && { ingress: inward }),
      ...(outward.length > 0 && { egress: outward }),
    },
  };
}

function podsOf(instance: string, components: readonly string[], namespace?: string) {
  return {
    ...(namespace !== undefined && {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    }),
    podSelector: {
      matchLabels: { [instanceLabel]: instance },
      matchExpressions: [{ key: componentLabel, operator: "In", values: components }],
    },
  };
}

/** What no other policy of the namespace of workers names reaches nothing. */
export function closedPolicyOf(name: string, own: Record<string, string>): KubeObject {
  return {
    apiVersion: apiVersionOf("NetworkPolicy"),
    kind: "NetworkPolicy",
    metadata: { name, labels: own },
    spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"] },
  };
}

/** Beside the services that agents reach: workers come from another namespace. */
export function wayInOf(
  { name, instance, from }: { name: string; instance: string; from: string },
  own: Record<string, string>,
): KubeObject {
  const services = servicesFor("worker");
  const ports = new Set(services.flatMap((service) => served[service]?.port ?? []));
  return {
    apiVersion: apiVersionOf("NetworkPolicy"),
    kind: "NetworkPolicy",
    metadata: { name, labels: own },
    spec: {
      podSelector: podsOf(instance, services).podSelector,
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [podsOf(instance, ["worker"], from)],
          ports: [...ports].map((port) => ({ protocol: "TCP", port })),
        },
      ],
    },
  };
}

/**
 * A policy knows numbers alone, and those behind a name change: it may then be any but where clouds
 * tell credentials, at any port, because a Service of the cluster has another one than its pods.
 */
function toPlace(url: string) {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(host);
  if (version === 0) return [{ to: anywhere }, { ports: dns }];
  const cidr = `${host}/${version === 6 ? 128 : 32}`;
  return [
    { to: [{ ipBlock: { cidr } }], ports: [{ protocol: "TCP", port: Number(port || redisPort) }] },
  ];
}

/** The orchestrator has webhooks to notify, the gateway asks providers, the proxy passes on. */
function reachesOutside({ labels: { component, instance }, network }: Caged): boolean {
  const isDirect = network !== "none" && network?.name === openNetworkName(instance);
  return isDirect || component === "orchestrator" || component === "gateway";
}
