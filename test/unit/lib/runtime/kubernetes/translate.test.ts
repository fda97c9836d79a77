// How services that are reached from outside, or ask the cluster itself, become pods.
import { expect, test } from "bun:test";
import { tlsDoorsOf } from "../../../../../apps/cli/services/reach.ts";
import { inCluster } from "../../../../../apps/cli/up/hosts/cluster-host.ts";
import type { ContainerSpec } from "../../../../../lib/runtime/container-spec.ts";
import { objectsOf } from "../../../../../lib/runtime/kubernetes/manifests.ts";
import { kubernetesTranslation } from "../../../../../lib/runtime/kubernetes/translate.ts";
import { sampleConfig, samplePlan } from "../../../../support/cli/sample-plan.ts";

const settYml = (more: string) => `version: '1.0'
secrets: { ci: { file: ./ci }, hub: { file: ./hub }, npm: { kubernetes: { name: npm, key: token } } }
services: { api: { tls: none, tokens: [{ name: ci, secret: ci, may: [read] }] } }
forges: { hub: { kind: github, repository: acme/door, token: hub } }
people: { ada: { accounts: { hub: ada-l } } }
agents:
  coder: { image: some/image:1, command: [work], workspace: { mode: rw }, secrets: [npm] ${more} }
  pull: { forge: hub, bids: [{ on: CodeCommit, bid: review }], pull_request: { base: main } }
`;

async function planOf(more = "") {
  const written = sampleConfig(settYml(more));
  const config = inCluster(written);
  const api = {
    ...{ tokens: [], tls: undefined },
    repository: { toplevel: "/home/ada/repository", commonDir: "/home/ada/repository/.git" },
  };
  const doors = await tlsDoorsOf(config, "secret", { isApart: true });
  const secrets = { npm: { name: "npm", key: "token" } };
  const translation = kubernetesTranslation({ namespace: "team", secrets });
  return samplePlan(config, { api, doors }, translation);
}

const objects = (spec: ContainerSpec | undefined) => {
  if (spec === undefined) throw new Error("The plan has it.");
  return objectsOf(spec, { made: "0123456789ab", hosts: [] });
};

test("the API reaches commits, outputs and logs by TLS, and the key of its sessions lasts", async () => {
  const { api } = await planOf();
  const { env } = api?.spec ?? {};
  // A part beside which no command of an agent runs has no seal.
  expect(JSON.stringify(env)).not.toContain("key=sealed");
  expect(env).toMatchObject({
    SETT_PACKS_URL: expect.stringMatching(/^tls:\/\/api:[0-9a-f]{64}@sett-demo-packs:8443\//),
    SETT_RECORDER_URL: expect.stringMatching(/^tls:\/\/\S+@sett-demo-recorder:8443\//),
    SETT_LOGS_URL: expect.stringMatching(/^tls:\/\/api:[0-9a-f]{64}@sett-demo-log-reader:8443\//),
    SETT_API_SESSION_KEY: expect.stringMatching(/^[0-9a-f]{64}$/),
    ...{ SETT_REPOSITORY_COPY_DIR: "/files/copy", SETT_API_PORT: "8443" },
  });
  const { workload, others } = objects(api?.spec);
  expect(JSON.stringify([workload, others])).not.toContain("/home/ada");
  // Its copy has room for all that the claim of the service of packs has.
  expect(JSON.stringify(workload)).toContain(`"emptyDir":{"sizeLimit":"${8 * 1024 ** 3}"}`);
  expect(JSON.stringify(workload)).toContain(`"ephemeral-storage":"${16 * 1024 ** 3}"`);
  expect(others.find(({ kind }) => kind === "Service")).toMatchObject({
    spec: { ports: [{ port: 8443, targetPort: 8443 }] },
  });
  expect(others.find(({ kind }) => kind === "NetworkPolicy")).toMatchObject({
    spec: { ingress: [{ ports: [{ protocol: "TCP", port: 8443 }] }] },
  });
});

test("the reader of logs has an account that reads logs and no Secret, and only the API reaches it", async () => {
  const rulesOf = (all: ReturnType<typeof objects>["others"]) =>
    all.flatMap(({ kind, metadata, ...role }) =>
      kind === "Role"
        ? (role.rules as { resources: string[]; verbs: string[] }[]).map(
            ({ resources, verbs }) =>
              `${metadata.namespace ?? "team"} ${verbs.join(",")} ${resources.join(",")}`,
          )
        : [],
    );
  const alone = objects((await planOf())["log-reader"]?.spec);
  const home = ["team list deployments,statefulsets", "team list pods", "team get pods/log"];
  expect(rulesOf(alone.others)).toEqual(home);
  expect(alone.workload).toMatchObject({
    spec: { template: { spec: { serviceAccountName: "sett-demo-log-reader" } } },
  });
  expect(alone.others.find(({ kind }) => kind === "NetworkPolicy")).toMatchObject({
    spec: {
      ingress: [
        {
          from: [{ podSelector: { matchExpressions: [{ values: ["api"] }] } }],
          ports: [{ protocol: "TCP", port: 8443 }],
        },
      ],
    },
  });
  const withWorkers = objects((await planOf(", replicas: 2"))["log-reader"]?.spec);
  expect(rulesOf(withWorkers.others)).toEqual([
    ...home,
    ...["team-workers get,list jobs", "team-workers list pods", "team-workers get pods/log"],
  ]);
});

test("the service of forges sees the Secrets of agents, which must not be pushed", async () => {
  const { forge, api } = await planOf();
  const { containers, volumes } = (
    objects(forge?.spec).workload as unknown as {
      spec: { template: { spec: { containers: object[]; volumes: object[] } } };
    }
  ).spec.template.spec;
  const source = { name: "npm", items: [{ key: "token", path: "npm" }], optional: true };
  expect(JSON.stringify(volumes)).toContain(JSON.stringify(source));
  expect(JSON.stringify(containers)).toContain('"mountPath":"/run/secrets","readOnly":true');
  expect(forge?.spec.env).toMatchObject({ SETT_KEPT_SECRETS_DIR: "/run/secrets" });
  expect(JSON.stringify(objects(api?.spec).workload)).not.toContain('"name":"npm"');
});

test("an API for triggers alone has no Service, and no pod reaches it", () => {
  const config = sampleConfig(`version: '1.0'
triggers: { nightly: { cron: "0 3 * * *", goal: Sweep } }
agents:
  coder: { image: some/image:1, command: [work] }
`);
  const plan = samplePlan(config, {}, kubernetesTranslation({ namespace: "team" }));
  const { others } = objects(plan.api?.spec);
  expect(others.map(({ kind }) => kind)).toEqual(["NetworkPolicy"]);
  expect(JSON.stringify(others)).not.toContain('"ingress"');
  expect(plan["log-reader"]).toBeUndefined();
});
