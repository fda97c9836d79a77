// Two parts ask the cluster itself for something, and have accounts that may do that and nothing
// else: the starter may make Jobs in a namespace of their own, whose policies come with it, and the
// reader of logs may read logs. Pure.
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec } from "../container-spec.ts";
import { labelsFor } from "../labels.ts";
import { agentContainerName } from "../names.ts";
import type { KubeObject } from "./client.ts";
import { closedPolicyOf, policyOf, wayInOf } from "./policies.ts";
import { apiVersionOf } from "./resources.ts";

const partLabel = "dev.sett.part";

/** It is where each client of a cluster looks for it in a pod. */
export const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
const account = "account";
const tokenSeconds = 3_600;

export const accountMount = { name: account, mountPath: accountFolder, readOnly: true };
export const accountVolume = {
  name: account,
  projected: {
    sources: [
      { serviceAccountToken: { path: "token", expirationSeconds: tokenSeconds } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    ],
  },
};

/** All that it may do, by namespace. It reads no Secret, and opens nothing in a pod. */
export const starterRules = {
  workers: [
    { apiGroups: ["batch"], resources: ["jobs"], verbs: ["create", "delete", "get", "list"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["delete", "list"] },
    { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
    { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
  ],
  /** The addresses of Services, by which workers reach them. */
  home: [{ apiGroups: [""], resources: ["services"], verbs: ["list"] }],
};

/** All that the reader of logs may do, by namespace. It reads no Secret, and changes nothing. */
export const readerRules = {
  home: [
    { apiGroups: ["apps"], resources: ["deployments", "statefulsets"], verbs: ["list"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
    { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  ],
  workers: [
    { apiGroups: ["batch"], resources: ["jobs"], verbs: ["get", "list"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
    { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  ],
};

/** A part that asks the cluster has an account of its own name. */
export function hasAccount({ placement: { workers, logs } = {} }: ContainerSpec): boolean {
  return workers !== undefined || logs !== undefined;
}

/** `own`: the labels of the part. Empty for every other part. */
export function accountObjects(spec: ContainerSpec, own: Record<string, string>): KubeObject[] {
  if (!hasAccount(spec)) return [];
  const account = { apiVersion: "v1", kind: "ServiceAccount" } as const;
  return [
    { ...account, metadata: { name: spec.name, labels: own } },
    ...readerObjects(spec, own),
    ...starterObjects(spec, own),
  ];
}

function readerObjects(
  { name, placement: { logs } = {} }: ContainerSpec,
  own: Record<string, string>,
): KubeObject[] {
  if (logs === undefined) return [];
  const { home, workers } = logs;
  const ofWorkers = workers === undefined ? [] : mayDo({ name, home }, own, readerRules.workers);
  return [
    ...mayDo({ name, home }, own, readerRules.home),
    ...ofWorkers.map((object) => within(object, workers)),
  ];
}

function within(object: KubeObject, namespace: string | undefined): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...withoutUndefined({ namespace }) } };
}

function starterObjects(spec: ContainerSpec, own: Record<string, string>): KubeObject[] {
  const { name, placement: { workers } = {}, labels } = spec;
  if (workers === undefined) return [];
  const { home, namespace, agents } = workers;
  const policies = agents.map(({ agent, network }) => {
    const caged = {
      name: agentContainerName(labels.instance, agent),
      labels: labelsFor(labels, { component: "agent", agent, role: agent }),
      ...(network !== undefined && { network }),
    };
    const { metadata, spec: rules, ...object } = policyOf(caged, own, home);
    const podSelector = { matchLabels: { [partLabel]: caged.name } };
    return { ...object, metadata, spec: { ...(rules as object), podSelector } };
  });
  return [
    ...mayDo({ name, home }, own, starterRules.home),
    wayInOf({ name: `${name}.workers`, instance: labels.instance, from: namespace }, own),
    ...[
      ...mayDo({ name, home }, own, starterRules.workers),
      closedPolicyOf(`${name}.workers`, own),
      ...policies,
    ].map((object) => within(object, namespace)),
  ];
}

function mayDo(
  { name, home }: { name: string; home: string },
  labels: Record<string, string>,
  rules: readonly object[],
): KubeObject[] {
  const metadata = { name, labels };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  const subjects = [{ kind: "ServiceAccount", name, namespace: home }];
  return [
    { apiVersion: apiVersionOf("Role"), kind: "Role", metadata, rules },
    { apiVersion: apiVersionOf("RoleBinding"), kind: "RoleBinding", metadata, roleRef, subjects },
  ];
}
