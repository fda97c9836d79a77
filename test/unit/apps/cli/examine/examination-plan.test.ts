import { expect, test } from "bun:test";
import {
  examinationPart,
  examinationPlan,
} from "../../../../../apps/cli/examine/examination-plan.ts";
import { packsOfLook } from "../../../../../apps/cli/services/packs.ts";
import { tlsDoorsOf } from "../../../../../apps/cli/services/reach.ts";
import { inCluster } from "../../../../../apps/cli/up/hosts/cluster-host.ts";
import { agentPlan } from "../../../../../apps/cli/up/plan/agent-plan.ts";
import type { SettConfig } from "../../../../../lib/model/config.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { readAddress } from "../../../../../lib/model/proven-address.ts";
import { dockerTranslation } from "../../../../../lib/runtime/docker/translate.ts";
import { objectsOf } from "../../../../../lib/runtime/kubernetes/manifests.ts";
import { kubernetesTranslation } from "../../../../../lib/runtime/kubernetes/translate.ts";
import { examinationNames, isNameOf } from "../../../../../lib/runtime/names.ts";
import type { Translation } from "../../../../../lib/runtime/part-plan.ts";
import { sampleConfig, sampleInput, samplePlan } from "../../../../support/cli/sample-plan.ts";

const config = sampleConfig(
  `version: '1.0'
secrets: { token: { environment: TOKEN } }
agents:
  coder:
    image: some/image:1
    command: [/app/run.sh]
    workspace: { mode: rw }
    secrets: [{ name: token, variable: NPM_TOKEN }]
    egress: [registry.example.org]
    resources: { limits: { memory: 512M, pids: 77, disk: 1G } }
`,
  { TOKEN: "x" },
);

const names = examinationNames(InstanceName.parse("demo"), "0123456789ab");

function partsOf(of: SettConfig, withSecrets = false, engine?: Translation, over = {}) {
  const [agent] = of.agents;
  if (agent === undefined) throw new Error("It has an agent.");
  const input = sampleInput(of, over);
  const labels = { instance: input.instance, workspace: input.workspace, version: "1", id: "0.1" };
  const kind = { component: "agent", agent: agent.name, role: agent.role } as const;
  const plan = examinationPlan(agentPlan(input, agent, { ...labels, ...kind }), {
    ...{ names, withSecrets, packs: packsOfLook(input) },
  });
  const cub = { tag: "sett/cub:1.2.3", id: "sha256:1" };
  const translation = engine ?? dockerTranslation({ cub, socket: undefined, isNear: true });
  const part = examinationPart(plan, "rerun", translation);
  return { part, usual: samplePlan(of).agents[0]?.spec };
}

test("a look at a grant is confined and limited as the agent is", () => {
  const { part, usual } = partsOf(config);
  const { user, network, capabilities, isRootReadOnly, systemCalls, pidsLimit } = usual ?? {};
  expect(part.spec).toMatchObject({ user, network, capabilities, isRootReadOnly, systemCalls });
  expect(part.spec.pidsLimit).toBe(pidsLimit as number);
  expect(part.spec.resources).toEqual(usual?.resources as never);
  expect(part.spec.env.SETT_CAGE).toBe(usual?.env.SETT_CAGE as string);
  expect(part.spec.env.SETT_DISK_LIMIT).toBe(usual?.env.SETT_DISK_LIMIT as string);
});

test("a look at a grant has no way to Redis, to the recorder or to the exchange, and no secret", () => {
  const { part, usual } = partsOf(config);
  const env = JSON.stringify(part.spec.env);
  for (const name of ["REDIS_URL", "SETT_LOGIN", "SETT_RECORDER_URL", "SETT_SECRETS"]) {
    expect(Object.keys(usual?.env ?? {})).toContain(name);
    expect(Object.keys(part.spec.env)).not.toContain(name);
  }
  expect(env).not.toContain("secret");
  expect(part.spec.entrypoint).toEqual(["/cub/cub", "--examine", "rerun"]);
  expect(part.program).toEqual(["/cub/cub"]);
  expect(part.spec.mounts.map((mount) => `${mount.kind} ${mount.target}`).toSorted()).toEqual([
    "bind /git/objects",
    "tmpfs /tmp",
    "volume /cub",
    "volume /git/exchange",
    "volume /run/sett/egress",
    "volume /workspace",
  ]);
  const writable = part.spec.mounts.flatMap((mount) =>
    "access" in mount && mount.access === "rw" && mount.kind === "volume" ? [mount.volume] : [],
  );
  expect(writable.toSorted()).toEqual([names.workspace, names.results].toSorted());
});

test("where services are reached by TLS, it reaches the agent's proxy in the agent's own network", async () => {
  const byTls = { ...config, services: { ...config.services, reach: "tls" as const } };
  const doors = await tlsDoorsOf(byTls, "secret");
  const { part } = partsOf(byTls, false, undefined, { doors });
  const [usual] = samplePlan(byTls, { doors }).agents;
  expect(part.spec.network).toEqual(usual?.spec.network as never);
  expect(part.spec.network).toMatchObject({ isClosed: true });
  expect(part.spec.env.SETT_CAGE).toBe(usual?.spec.env.SETT_CAGE as string);
  const egress = readAddress(part.spec.env.SETT_EGRESS_URL ?? "");
  expect(egress).toMatchObject({ way: "coder", host: "sett-demo-egress" });
  expect(egress.isSealed).toBeUndefined();
});

test("it has the secrets of the agent where a person says so", () => {
  const { part } = partsOf(config, true);
  expect(part.spec.env).toHaveProperty("SETT_SECRETS");
  expect(part.spec.mounts.map(({ target }) => target)).toContain("/run/secrets");
});

test("its container and its volumes have names of their own, which are Sett's", () => {
  const { part } = partsOf(config);
  const { labels, name } = part.spec;
  expect(labels.component).toBe("examination");
  const own = part.volumes.filter((volume) => volume.labels.component === "examination");
  expect(own.map((volume) => volume.name)).toEqual([names.workspace, names.results]);
  for (const each of [name, ...own.map((volume) => volume.name)])
    expect(isNameOf(labels, each)).toBe(true);
  expect(isNameOf(labels, "sett-demo-examine")).toBe(false);
});

async function inPod(withSecrets = false) {
  const fitted = inCluster(config);
  const secrets = { token: { name: "npm", key: "word" } };
  const settings = { namespace: "team", runtimeClass: "gvisor", secrets };
  const doors = await tlsDoorsOf(fitted, "secret", { isApart: true });
  const { part } = partsOf(fitted, withSecrets, kubernetesTranslation(settings), { doors });
  const hosts = ["redis", "packs", "egress", "recorder"].map((service) => ({
    ...{ name: `sett-demo-${service}`, address: "10.96.0.7" },
  }));
  return { part, ...objectsOf(part.spec, { made: "made1", hosts }) };
}

test("in a cluster it is a pod that does not start again, as confined as the agent's", async () => {
  const { part, workload, secret, others } = await inPod();
  expect(workload).toMatchObject({
    ...{ kind: "Pod", metadata: { name: names.container } },
    spec: {
      ...{ restartPolicy: "Never", automountServiceAccountToken: false },
      ...{ runtimeClassName: "gvisor", dnsPolicy: "None" },
      securityContext: { runAsNonRoot: true, runAsUser: 1000 },
      containers: [
        {
          securityContext: {
            ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
            capabilities: { drop: ["ALL"] },
          },
          resources: { limits: { memory: String(512 * 1024 ** 2) } },
        },
      ],
    },
  });
  expect(Object.keys(part.spec.env)).not.toContain("REDIS_URL");
  expect(JSON.stringify(secret)).not.toContain("SETT_SECRETS");
  const packs = readAddress(part.spec.env.SETT_PACKS_URL ?? "");
  expect(packs).toMatchObject({ way: "user", host: "sett-demo-packs" });
  expect(readAddress(part.spec.env.SETT_EGRESS_URL ?? "").way).toBe("coder");
  const [policy, ...more] = others;
  expect(more).toEqual([]);
  const egress = JSON.stringify(policy?.spec);
  for (const service of ["packs", "egress"]) expect(egress).toContain(`["${service}"]`);
  for (const service of ["redis", "recorder", "gateway", "0.0.0.0"])
    expect(egress).not.toContain(service);
  expect(JSON.stringify(workload)).not.toContain("sett-demo-redis");
});

test("in a cluster the secrets of the agent are those that the cluster has", async () => {
  const { workload } = await inPod(true);
  expect(JSON.stringify(workload)).toContain(
    '"secret":{"name":"npm","items":[{"key":"word","path":"token"}],"optional":true}',
  );
});
