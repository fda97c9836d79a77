// Says what a person must be allowed in the namespace of an instance: as a Role, and compared with
// what the cluster says that this person may do.
import { z } from "zod";
import { SettError } from "../../model/errors.ts";
import type { KubeClient } from "./client.ts";

/**
 * `resource`: with the part of it that is meant, as in `pods/log`. `isOptional`: without it Sett
 * says less.
 */
type Right = { group: string; resource: string; verbs: readonly string[]; isOptional?: true };

const patched = ["create", "delete", "get", "list", "patch"];

/** Newer clusters want `create` of what is opened in a pod, and older ones `get`. */
const opened = ["create", "get"];

export const rights: readonly Right[] = [
  { group: "", resource: "namespaces", verbs: ["get"] },
  { group: "", resource: "pods", verbs: ["delete", "get", "list"] },
  { group: "", resource: "pods/log", verbs: ["get"] },
  { group: "", resource: "pods/exec", verbs: opened },
  { group: "", resource: "pods/portforward", verbs: opened },
  { group: "", resource: "secrets", verbs: ["create", "delete", "list", "patch"] },
  { group: "", resource: "services", verbs: patched },
  { group: "", resource: "configmaps", verbs: ["create", "delete", "list"] },
  { group: "", resource: "persistentvolumeclaims", verbs: ["create", "delete", "get", "list"] },
  { group: "apps", resource: "deployments", verbs: patched },
  { group: "apps", resource: "statefulsets", verbs: patched },
  { group: "networking.k8s.io", resource: "networkpolicies", verbs: patched },
  // A StatefulSet says only here why it makes no pod.
  { group: "", resource: "events", verbs: ["list"], isOptional: true },
  {
    group: "coordination.k8s.io",
    resource: "leases",
    verbs: ["create", "delete", "get", "update"],
  },
];

/** They come beside the others for a look at a grant: its pod is kept there by nothing else. */
export const lookRights: readonly Right[] = [{ group: "", resource: "pods", verbs: ["create"] }];

const rbac = "rbac.authorization.k8s.io";
/** A person may give a Role only what this person may do. */
const roleRights = (verb: readonly string[]): Right[] => [
  { group: rbac, resource: "roles", verbs: verb },
  { group: rbac, resource: "rolebindings", verbs: verb },
];

/** They come beside the others where a part asks the cluster itself, for its account. */
export const accountRights: readonly Right[] = [
  { group: "", resource: "serviceaccounts", verbs: patched },
  ...roleRights(patched),
];

/** They are for the namespace of the workers. */
export const workersRights: readonly Right[] = [
  { group: "", resource: "namespaces", verbs: ["get"] },
  { group: "batch", resource: "jobs", verbs: ["create", "delete", "get", "list"] },
  { group: "", resource: "pods", verbs: ["delete", "list"] },
  { group: "", resource: "pods/log", verbs: ["get"] },
  { group: "", resource: "secrets", verbs: ["create", "delete", "list"] },
  { group: "networking.k8s.io", resource: "networkpolicies", verbs: patched },
  // A Job says only here why it makes no pod.
  { group: "", resource: "events", verbs: ["list"], isOptional: true },
  ...roleRights(patched),
];

/** Objects as they are in a manifest. Who gets the Role is said by a RoleBinding of others. */
export function roleOf(namespace: string, all: readonly Right[] = rights): object {
  return {
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    metadata: { name: "sett", namespace },
    rules: all.map(({ group, resource, verbs }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs,
    })),
  };
}

const Rule = z.object({
  verbs: z.array(z.string()),
  apiGroups: z.array(z.string()).nullish(),
  resources: z.array(z.string()).nullish(),
  resourceNames: z.array(z.string()).nullish(),
});
type Rule = z.infer<typeof Rule>;
const Review = z.object({
  status: z.object({
    incomplete: z.boolean().default(false),
    resourceRules: z.array(Rule).nullish(),
  }),
});

/** The rights that Sett needs and no rule gives. A rule for some names alone gives none. Pure. */
export function missingRights(rules: readonly Rule[], all = rights): Right[] {
  return all.flatMap((right) => {
    if (right.isOptional) return [];
    const verbs = right.verbs.filter((verb) => !rules.some((rule) => allows(rule, right, verb)));
    return verbs.length === 0 ? [] : [{ ...right, verbs }];
  });
}

function allows(rule: Rule, { group, resource }: Right, verb: string): boolean {
  const has = (words: readonly string[] | null | undefined, word: string) =>
    words?.some((one) => one === "*" || one === word) === true;
  const ofPart = `*/${resource.split("/")[1]}`;
  const isForAll = (rule.resourceNames ?? []).length === 0;
  // A namespace is asked for by its own name alone.
  return (
    (isForAll || resource === "namespaces") &&
    has(rule.verbs, verb) &&
    has(rule.apiGroups, group) &&
    (has(rule.resources, resource) || (resource.includes("/") && has(rule.resources, ofPart)))
  );
}

/** Throws `kubernetes-failed`. */
export async function requireRights(
  client: KubeClient,
  namespace: string,
  all: readonly Right[] = rights,
): Promise<void> {
  const answer = await client.json("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
    method: "POST",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace },
    },
  });
  const { incomplete, resourceRules } = Review.parse(answer).status;
  const unlisted = missingRights(resourceRules ?? [], all);
  // A cluster that does not know all rules itself answers for each verb.
  const missing = incomplete ? await deniedOf(client, namespace, unlisted) : unlisted;
  if (missing.length === 0) return;
  const words = missing.map(({ resource, verbs }) => `${verbs.join(", ")} ${resource}`);
  throw new SettError(
    "kubernetes-failed",
    `The user of the context ${client.access.context} may not do in the namespace ${namespace} what Sett needs: ${words.join("; ")}.`,
    {
      hint: `\`sett render --kubernetes --rbac --namespace ${namespace}\` prints the Role; an administrator of the namespace can give it.`,
    },
  );
}

const Access = z.object({ status: z.object({ allowed: z.boolean() }) });

async function deniedOf(
  client: KubeClient,
  namespace: string,
  unlisted: readonly Right[],
): Promise<Right[]> {
  const isAllowed = async ({ group, resource: whole }: Right, verb: string) => {
    const [resource, subresource] = whole.split("/");
    // A namespace is asked for by its own name.
    const name = resource === "namespaces" && verb !== "create" ? namespace : undefined;
    const resourceAttributes = { namespace, verb, group, resource, subresource, name };
    const answer = await client.json("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
      method: "POST",
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes },
      },
    });
    return Access.parse(answer).status.allowed;
  };
  const denied = await Promise.all(
    unlisted.map(async (right) => {
      const allowed = await Promise.all(right.verbs.map((verb) => isAllowed(right, verb)));
      return { ...right, verbs: right.verbs.filter((_, at) => !allowed[at]) };
    }),
  );
  return denied.filter(({ verbs }) => verbs.length > 0);
}
