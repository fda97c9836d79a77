// The reader of logs of a cluster whose API server is in memory: what it sees, and what it asks.
import { expect, test } from "bun:test";
import { RuntimeLogs } from "../../../lib/logs/runtime-logs.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { KubeClient } from "../../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../../lib/runtime/kubernetes/kubeconfig.ts";
import { partLogs } from "../../../lib/runtime/kubernetes/part-logs.ts";
import { kubernetesRuntime } from "../../../lib/runtime/kubernetes/runtime.ts";
import { kubernetesTranslation } from "../../../lib/runtime/kubernetes/translate.ts";
import { sampleConfig, samplePlan } from "../../support/cli/sample-plan.ts";
import { clusterApi } from "../../support/runtime/cluster-api.ts";

const instance = InstanceName.parse("demo");
const plan = samplePlan(
  sampleConfig(`version: '1.0'
agents:
  coder: { image: some/image:1, command: [work] }
`),
  {},
  kubernetesTranslation({ namespace: "team" }),
);

/** The kubelet says this, without a time, where a container's log is gone. */
const gone = "unable to retrieve container logs for containerd://0b1c";

test("the reader of logs finds the parts and their lines, and asks the cluster for no Secret", async () => {
  await using api = await clusterApi((request) =>
    request.endsWith("/log")
      ? new Response(`2026-01-01T00:00:00Z from ${request}\n${gone}`)
      : undefined,
  );
  const end = new AbortController();
  const place = { namespace: "team", context: undefined, workspaceOf: () => "/work" };
  const { apply } = await kubernetesRuntime({ ...place, env: api.env, interrupted: end.signal });
  for (const { spec } of [...plan.services, ...plan.agents]) await apply.start(spec);
  api.requests.length = 0;

  const client = new KubeClient(await findCluster(api.env, undefined));
  const reading = partLogs({ client, instance, home: "team", workers: "team-workers" });
  const { containers } = await reading.parts(instance);
  expect(containers.map(({ env }) => env)).toEqual(containers.map(() => ({})));
  const logs = new RuntimeLogs(reading, instance);
  expect((await logs.names()).sort()).toEqual(["coder", "orchestrator", "recorder", "redis"]);
  const { signal } = end;
  const linesOf = async (name: string) =>
    Array.fromAsync((await logs.read(name, { signal })) ?? []);
  expect(await linesOf("coder")).toEqual([
    expect.stringContaining("namespaces/team/pods/sett-demo-agent-coder-0/log"),
  ]);
  expect(await logs.read("nothing", { signal })).toBeUndefined();
  expect(api.requests.filter((request) => request.includes("secrets"))).toEqual([]);
  expect(api.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  end.abort("over");
});
