// The kinds of objects that Sett makes in a cluster, and where the API server has them.

const groups = {
  Namespace: ["/api/v1", "namespaces"],
  Node: ["/api/v1", "nodes"],
  Pod: ["/api/v1", "pods"],
  Service: ["/api/v1", "services"],
  Secret: ["/api/v1", "secrets"],
  ConfigMap: ["/api/v1", "configmaps"],
  Event: ["/api/v1", "events"],
  PersistentVolumeClaim: ["/api/v1", "persistentvolumeclaims"],
  ServiceAccount: ["/api/v1", "serviceaccounts"],
  Role: ["/apis/rbac.authorization.k8s.io/v1", "roles"],
  RoleBinding: ["/apis/rbac.authorization.k8s.io/v1", "rolebindings"],
  Job: ["/apis/batch/v1", "jobs"],
  Deployment: ["/apis/apps/v1", "deployments"],
  StatefulSet: ["/apis/apps/v1", "statefulsets"],
  NetworkPolicy: ["/apis/networking.k8s.io/v1", "networkpolicies"],
  Lease: ["/apis/coordination.k8s.io/v1", "leases"],
} as const;

export type Kind = keyof typeof groups;
/** What keeps the pods of a part there. A part that is not to start again is a pod itself. */
export type Workload = "Deployment" | "StatefulSet" | "Pod";

/** The name of what keeps a part. A cluster takes no dot in that of a StatefulSet. */
export function objectNameOf(kind: Workload, part: string): string {
  return kind === "StatefulSet" ? part.replace(/\.old$/, "-old") : part;
}

/** The part that an object of this name keeps. */
export function keptPartOf(kind: Workload, name: string): string {
  return kind === "StatefulSet" ? name.replace(/-old$/, ".old") : name;
}

export function apiVersionOf(kind: Kind): string {
  return groups[kind][0].replace(/^\/apis?\//, "");
}

/** Without a name: where all of a namespace are; without a namespace, all of the cluster. */
export function pathOf(kind: Kind, namespace: string, name?: string): string {
  const [group, plural] = groups[kind];
  const isOfCluster = kind === "Namespace" || kind === "Node" || namespace === "";
  const folder = isOfCluster ? `${group}/${plural}` : `${group}/namespaces/${namespace}/${plural}`;
  return name === undefined ? folder : `${folder}/${name}`;
}
