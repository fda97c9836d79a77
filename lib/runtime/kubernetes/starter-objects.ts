// The starter of workers needs more than its pod in a cluster: an account that may make Jobs in a
// namespace of their own and nothing else, and the policies of that namespace. Pure.
import type { InstanceName } from "../../model/ids.ts";
import type { ContainerSpec } from "../container-spec.ts";
import { labelsFor } from "../labels.ts";
import { agentContainerName, serviceContainer } from "../names.ts";
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

export function starterAccount(instance: InstanceName): string {
  return serviceContainer(instance, "starter");
}

/** `own`: the labels of the part. Empty for every other part. */
export function starterObjects(spec: ContainerSpec, own: Record<string, string>): KubeObject[] {
  const { placement: { workers } = {}, labels } = spec;
  if (workers === undefined) return [];
  const { home, namespace, agents } = workers;
  const name = starterAccount(labels.instance);
  const inside = (object: KubeObject) => ({
    ...object,
    metadata: { ...object.metadata, namespace },
  });
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
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, labels: own } },
    ...mayDo({ name, home }, own, starterRules.home),
    wayInOf({ name: `${name}.workers`, instance: labels.instance, from: namespace }, own),
    ...[
      ...mayDo({ name, home }, own, starterRules.workers),
      closedPolicyOf(`${name}.workers`, own),
      ...policies,
    ].map(inside),
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
