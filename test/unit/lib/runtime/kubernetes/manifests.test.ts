import { expect, test } from "bun:test";
import { SettError } from "../../../../../lib/model/errors.ts";
import { AgentName, InstanceName } from "../../../../../lib/model/ids.ts";
import type { ContainerSpec } from "../../../../../lib/runtime/container-spec.ts";
import { giftsObject, objectsOf } from "../../../../../lib/runtime/kubernetes/manifests.ts";

const instance = InstanceName.parse("demo");
const origin = {
  made: "0123456789ab",
  hosts: [{ name: "sett-demo-redis", address: "10.96.0.7" }],
};

function agentSpec(more: Partial<ContainerSpec> = {}): ContainerSpec {
  const agent = AgentName.parse("writer");
  return {
    name: "sett-demo-agent-writer",
    image: "registry.example.org/team/demo-writer@sha256:abc",
    labels: {
      ...{ instance, workspace: "/home/ada/letters", version: "1", id: "one" },
      ...{ component: "agent", agent, role: "writer" },
    },
    env: { REDIS_URL: "redis://agent@sett-demo-redis:6379" },
    user: { uid: 10001, gid: 10001 },
    mounts: [
      { kind: "volume", volume: "sett-demo-workspace-writer", target: "/workspace", access: "rw" },
      { kind: "tmpfs", target: "/tmp", sizeBytes: 1024 },
    ],
    network: { name: "sett-demo", aliases: [], isClosed: true },
    capabilities: "none",
    isRootReadOnly: true,
    restart: "unless-stopped",
    resources: { memoryBytes: 512 * 1024 ** 2, fileBytes: 1e9 },
    stopTimeoutSeconds: 40,
    ...more,
  };
}

test("an agent's pod asks for nothing that the standard `restricted` refuses", () => {
  const { workload, secret } = objectsOf(agentSpec(), origin);
  expect(workload.kind).toBe("Deployment");
  expect(workload).toMatchObject({
    spec: {
      strategy: { type: "Recreate" },
      template: {
        spec: {
          automountServiceAccountToken: false,
          securityContext: {
            ...{ runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001 },
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              envFrom: [{ secretRef: { name: secret.metadata.name } }],
              securityContext: {
                ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
                capabilities: { drop: ["ALL"] },
              },
            },
          ],
        },
      },
    },
  });
});

test("no mesh puts its proxy beside a part", () => {
  const { workload } = objectsOf(agentSpec(), origin);
  expect(workload).toMatchObject({
    spec: {
      template: {
        metadata: {
          labels: { "sidecar.istio.io/inject": "false", "kuma.io/sidecar-injection": "disabled" },
          annotations: { "linkerd.io/inject": "disabled" },
        },
      },
    },
  });
});

test("an agent's pod knows the services by their addresses, and asks no DNS", () => {
  expect(objectsOf(agentSpec(), origin).workload).toMatchObject({
    spec: {
      template: {
        spec: {
          dnsPolicy: "None",
          hostAliases: [{ ip: "10.96.0.7", hostnames: ["sett-demo-redis"] }],
        },
      },
    },
  });
});

test("variables are in a Secret alone, and no object names the folder of the repository", () => {
  const { workload, secret, others } = objectsOf(agentSpec(), origin);
  expect(secret).toMatchObject({ stringData: { REDIS_URL: expect.any(String) } });
  expect(JSON.stringify([workload, others])).not.toContain("redis://");
  expect(JSON.stringify([workload, secret, others])).not.toContain("/home/ada");
});

test("an agent's policy lets it reach services of its own instance and nothing else", () => {
  const policy = objectsOf(agentSpec(), origin).others.find(({ kind }) => kind === "NetworkPolicy");
  const text = JSON.stringify(policy);
  expect(policy).toMatchObject({ spec: { policyTypes: ["Ingress", "Egress"] } });
  expect(text).not.toContain('"ingress"');
  expect(text).toContain('"values":["redis"]');
  expect(text).not.toContain("ipBlock");
  const direct = agentSpec({ network: { name: "sett-demo.open", aliases: [] } });
  expect(JSON.stringify(objectsOf(direct, origin).others)).toContain(
    '"except":["169.254.0.0/16","100.100.100.200/32","168.63.129.16/32"]',
  );
});

test("a part with a volume that is kept is a StatefulSet with a claim, and a Service for its port", () => {
  const redis = objectsOf(
    {
      ...agentSpec(),
      ...{ name: "sett-demo-redis", ports: [{ port: 6379, isInside: true }] },
      labels: { instance, workspace: "", version: "1", id: "one", component: "redis" },
      mounts: [{ kind: "volume", volume: "sett-demo-blackboard", target: "/data", access: "rw" }],
    },
    origin,
  );
  expect(redis.workload.kind).toBe("StatefulSet");
  expect(JSON.stringify(redis.workload)).toContain('"claimName":"sett-demo-blackboard"');
  expect(redis.others.map(({ kind }) => kind)).toEqual(["Service", "NetworkPolicy"]);
});

test("a pod for the files of a claim is there once, on the node of the part that has the claim", () => {
  const { workload, others } = objectsOf(
    {
      ...agentSpec({ network: "none", restart: "no", placement: { beside: "sett-demo-recorder" } }),
      name: "sett-demo.recorder.idle-0a",
      labels: { instance, workspace: "", version: "1", id: "one", component: "record" },
      mounts: [{ kind: "volume", volume: "sett-demo.recorder", target: "/volume", access: "rw" }],
    },
    origin,
  );
  const labelSelector = { matchLabels: { "dev.sett.part": "sett-demo-recorder" } };
  expect(workload).toMatchObject({
    kind: "Pod",
    spec: {
      restartPolicy: "Never",
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "kubernetes.io/hostname", labelSelector },
          ],
        },
      },
      volumes: [{ persistentVolumeClaim: { claimName: "sett-demo.recorder" } }],
    },
  });
  const [policy, ...more] = others;
  expect([policy, more]).toMatchObject([{ kind: "NetworkPolicy" }, []]);
  expect(Object.keys(Object(policy).spec).sort()).toEqual(["podSelector", "policyTypes"]);
});

test("a name that a cluster does not take is refused with its length", () => {
  const name = `sett-demo-agent-${"a".repeat(60)}`;
  expect(() => objectsOf(agentSpec({ name }), origin)).toThrow(SettError);
  expect(() => objectsOf(agentSpec({ name }), origin)).toThrow(/76 characters/);
});

test("two orchestrators run, on two nodes where there are two, and one pod of each other part", () => {
  const { name, labels, ...spec } = agentSpec();
  const { agent: _, ...common } = labels as Extract<typeof labels, { component: "agent" }>;
  const orchestrator = objectsOf(
    { ...spec, name: "sett-demo-orchestrator", labels: { ...common, component: "orchestrator" } },
    origin,
  );
  const placed = {
    topologySpreadConstraints: [
      {
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: { "dev.sett.part": "sett-demo-orchestrator" } },
      },
    ],
  };
  expect(orchestrator.workload).toMatchObject({
    spec: { replicas: 2, template: { spec: placed } },
  });
  const writer = objectsOf(agentSpec(), origin).workload;
  expect(writer).toMatchObject({ spec: { replicas: 1 } });
  expect(JSON.stringify(writer)).not.toContain("topologySpread");
});

test("each new pod of a part is given what `sett up` gave the one before, once", () => {
  const { workload } = objectsOf(agentSpec({ placement: { takes: "/gateway" } }), origin);
  const kept = giftsObject(agentSpec(), { "put-keys": '{"strong":"sk-one"}' });
  expect(kept).toMatchObject({
    metadata: { name: "sett-demo-agent-writer.gifts" },
    data: { "put-keys": Buffer.from('{"strong":"sk-one"}').toString("base64") },
  });
  const { volumes, containers } = (
    workload as unknown as {
      spec: { template: { spec: Record<"volumes" | "containers", object[]> } };
    }
  ).spec.template.spec;
  // A Secret that is not there, as before the first `sett up`, keeps no pod from its start.
  expect(volumes).toContainEqual({
    name: "gifts",
    secret: { secretName: kept.metadata.name, optional: true, defaultMode: 0o440 },
  });
  const text = JSON.stringify(containers);
  expect(text).toContain('"postStart":{"exec":{"command":["/bin/sh","-c","[ -e /tmp/gifts ] || {');
  expect(text).toContain('{"name":"gifts","mountPath":"/run/gifts","readOnly":true}');
  expect(JSON.stringify(objectsOf(agentSpec(), origin).workload)).not.toContain("postStart");
  // A part that has copies alone may be of an image without a shell.
  const copies = JSON.stringify(objectsOf(agentSpec({ placement: { copies: true } }), origin));
  expect(copies).toContain('"mountPath":"/run/gifts"');
  expect(copies).not.toContain("postStart");
});
