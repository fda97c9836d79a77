import { expect, test } from "bun:test";
import { refuserIn } from "../../../../../lib/runtime/kubernetes/refusal.ts";

const whose = "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations";
const quota = "a quota of the namespace";
const changed = "change `resources` of the agents, or of `services.redis`, in sett.yml";

test.each([
  [
    'persistentvolumeclaims "sett-x.packs" is forbidden: exceeded quota: small, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=2, limited: persistentvolumeclaims=2',
    quota,
    "The quota small allows 2 of persistentvolumeclaims: 2 is in use, and 1 is asked for. Raise it (`kubectl --namespace team edit resourcequota small`), or remove what the namespace does not need.",
  ],
  [
    'pods "sett-x-redis-0" is forbidden: exceeded quota: q, requested: limits.cpu=2,limits.memory=1Gi, used: limits.cpu=0,limits.memory=0, limited: limits.cpu=1,limits.memory=100Mi',
    quota,
    `The quota q allows 1 of limits.cpu: 0 is in use, and 2 is asked for; 100Mi of limits.memory: 0 is in use, and 1Gi is asked for. Raise it (\`kubectl --namespace team edit resourcequota q\`), or ${changed}.`,
  ],
  [
    'pods "x" is forbidden: failed quota: gpu: must specify requests.example.com/gpu',
    quota,
    "`kubectl --namespace team describe resourcequota gpu` shows what the quota allows, and what is used of it.",
  ],
  [
    'pods "x" is forbidden: violates PodSecurity "restricted:latest": runAsUser=0',
    "the namespace's PodSecurity",
    "Leave out of sett.yml what the cluster names, or have an administrator of the namespace team enforce another standard than restricted:latest.",
  ],
  [
    'admission webhook "signed.example.com" denied the request: images must be signed',
    "an admission rule",
    `Do what the webhook signed.example.com asks for, or have who runs it leave out the namespace team (\`${whose}\`).`,
  ],
  [
    'Internal error occurred: failed calling webhook "a.b": failed to call webhook: Post "https://127.0.0.1:1/?timeout=5s": connection refused',
    "an admission rule that does not answer",
    `Who runs the webhook a.b must put it right, or leave out the namespace team (\`${whose}\`).`,
  ],
  [
    "pods \"x\" is forbidden: ValidatingAdmissionPolicy 'no-x' with binding 'all' denied request: no x",
    "an admission rule",
    "Do what the policy no-x asks for, or have an administrator leave out the namespace team in its binding all.",
  ],
  [
    'pods "x" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 64Mi, but limit is 1073741824]',
    "a LimitRange of the namespace",
    `A LimitRange says: maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 64Mi, but limit is 1073741824. Change it (\`kubectl --namespace team edit limitrange\`), or ${changed}.`,
  ],
  [
    'pods "x" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 100.000000',
    "a LimitRange of the namespace",
    `A LimitRange says: cpu max limit to request ratio per Container is 2, but provided ratio is 100.000000. Change it (\`kubectl --namespace team edit limitrange\`), or ${changed}.`,
  ],
  [
    'persistentvolumeclaims "x" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 8Gi',
    "a LimitRange of the namespace",
    "A LimitRange says: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 8Gi. Change it (`kubectl --namespace team edit limitrange`).",
  ],
  [
    'secrets "x" is forbidden: unable to create new content in namespace team because it is being terminated',
    "the namespace, which is being removed,",
    "Wait until it is gone (`kubectl wait --for=delete namespace/team`), or choose another one: --namespace NAME.",
  ],
  [
    'pods is forbidden: User "ada" cannot create resource "pods" in API group "" in the namespace "team"',
    "the cluster's access control",
    "The message names the verb and the resource that a Role of yours must allow (docs/guides/kubernetes.md#rights).",
  ],
])("%s", (message, who, remedy) => {
  expect(refuserIn(message, "team")).toEqual({ who, remedy });
});

test("words that say neither who nor why have no remedy", () => {
  expect(refuserIn('pods "x" is forbidden: no', "team")).toBeUndefined();
});
