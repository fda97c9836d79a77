// Finds in a cluster's own words who has refused a thing, and what helps then. Pure.

/** `remedy`: a sentence, without a full stop in a command. */
export type Refuser = { who: string; remedy: string };

type Rule = { words: RegExp; of: (found: Groups, namespace: string) => Refuser };
type Groups = Readonly<Record<string, string | undefined>>;

const whose = "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations";

const rules: readonly Rule[] = [
  {
    words:
      /exceeded quota: (?<name>[^,\s]+), requested: (?<requested>.+?), used: (?<used>.+?), limited: (?<limited>[^\s;]+)/,
    of: ({ name = "", ...amounts }, namespace) => ({
      who: "a quota of the namespace",
      remedy: `The quota ${name} allows ${exceeded(amounts)}. Raise it (\`kubectl --namespace ${namespace} edit resourcequota ${name}\`), or ${lessOf(amounts.requested ?? "")}.`,
    }),
  },
  {
    words: /(?:exceeded|failed) quota: (?<name>[^,:\s]+)/,
    of: ({ name = "" }, namespace) => ({
      who: "a quota of the namespace",
      remedy: `\`kubectl --namespace ${namespace} describe resourcequota ${name}\` shows what the quota allows, and what is used of it.`,
    }),
  },
  {
    words: /violates PodSecurity "(?<standard>[^"]+)"/,
    of: ({ standard = "" }, namespace) => ({
      who: "the namespace's PodSecurity",
      remedy: `Leave out of sett.yml what the cluster names, or have an administrator of the namespace ${namespace} enforce another standard than ${standard}.`,
    }),
  },
  {
    words: /admission webhook "(?<name>[^"]+)" denied the request/,
    of: ({ name = "" }, namespace) => ({
      who: "an admission rule",
      remedy: `Do what the webhook ${name} asks for, or have who runs it leave out the namespace ${namespace} (\`${whose}\`).`,
    }),
  },
  {
    words: /failed calling webhook "(?<name>[^"]+)"/,
    of: ({ name = "" }, namespace) => ({
      who: "an admission rule that does not answer",
      remedy: `Who runs the webhook ${name} must put it right, or leave out the namespace ${namespace} (\`${whose}\`).`,
    }),
  },
  {
    words: /ValidatingAdmissionPolicy '(?<name>[^']+)' with binding '(?<binding>[^']+)'/,
    of: ({ name = "", binding = "" }, namespace) => ({
      who: "an admission rule",
      remedy: `Do what the policy ${name} asks for, or have an administrator leave out the namespace ${namespace} in its binding ${binding}.`,
    }),
  },
  {
    words:
      /(?<bound>(?:(?:maximum|minimum) \S+ usage|\S+ max limit to request ratio) per (?<of>[A-Za-z]+) is .+)/,
    of: ({ bound = "", of }, namespace) => ({
      who: "a LimitRange of the namespace",
      remedy: `A LimitRange says: ${bound.replace(/[\].\s]+$/, "")}. Change it (\`kubectl --namespace ${namespace} edit limitrange\`)${of === "PersistentVolumeClaim" ? "" : `, or ${lessOf("")}`}.`,
    }),
  },
  {
    words: /because it is being terminated/,
    of: (_, namespace) => ({
      who: "the namespace, which is being removed,",
      remedy: `Wait until it is gone (\`kubectl wait --for=delete namespace/${namespace}\`), or choose another one: --namespace NAME.`,
    }),
  },
  {
    words: / cannot [a-z]+ (?:resource|path) |attempting to grant RBAC permissions/,
    of: () => ({
      who: "the cluster's access control",
      remedy:
        "The message names the verb and the resource that a Role of yours must allow (docs/guides/kubernetes.md#rights).",
    }),
  },
];

/** Undefined where the words tell nothing of it. `namespace`: in which the thing was to be. */
export function refuserIn(message: string, namespace: string): Refuser | undefined {
  for (const { words, of } of rules) {
    const found = words.exec(message);
    if (found !== null) return of(found.groups ?? {}, namespace);
  }
  return undefined;
}

/** Each is in the form `pods=2,limits.cpu=1`. */
function exceeded({ requested = "", used = "", limited = "" }: Groups): string {
  const [wished, taken] = [amountsIn(requested), amountsIn(used)];
  return [...amountsIn(limited)]
    .map(
      ([name, limit]) =>
        `${limit} of ${name}: ${taken.get(name) ?? "0"} is in use, and ${wished.get(name) ?? "more"} is asked for`,
    )
    .join("; ");
}

function amountsIn(text: string): Map<string, string> {
  const pairs = text.split(",").map((pair) => pair.split("="));
  return new Map(pairs.map(([name = "", amount = ""]) => [name, amount]));
}

/** `requested`: what was asked for. Sett asks for as many things as an instance has. */
function lessOf(requested: string): string {
  const ofPods = /(?:^|[.,])(?:cpu|memory|ephemeral-storage)(?:=|$)/;
  return requested === "" || ofPods.test(requested)
    ? "change `resources` of the agents, or of `services.redis`, in sett.yml"
    : "remove what the namespace does not need";
}
