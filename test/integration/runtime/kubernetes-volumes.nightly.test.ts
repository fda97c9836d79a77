// The files of claims of a real cluster: what the suite asks of volumes everywhere.
import { describe, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { $ } from "bun";
import { InstanceName } from "../../../lib/model/ids.ts";
import { KubeClient } from "../../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../../lib/runtime/kubernetes/kubeconfig.ts";
import { ensureNamespace } from "../../../lib/runtime/kubernetes/namespace.ts";
import { kubernetesRuntime } from "../../../lib/runtime/kubernetes/runtime.ts";
import type { PartKind } from "../../../lib/runtime/labels.ts";
import type { Runtime } from "../../../lib/runtime/port.ts";
import { isNight } from "../../support/nightly.ts";
import { kubeconfig, registry } from "../../support/runtime/test-cluster.ts";
import { type VolumeBench, volumeFilesSuite } from "./suite/volume-files.ts";

setDefaultTimeout(600_000);

const owner = { uid: 12_345, gid: 3_000_000 };

/** The image is that of the orchestrator on this machine. */
async function pushedImage(): Promise<string> {
  const id = await $`docker image inspect --format ${"{{.Id}}"} sett/orchestrator:latest`.text();
  const tag = `${registry}/sett-orchestrator:suite-${id.trim().slice("sha256:".length, 19)}`;
  await $`docker tag sett/orchestrator:latest ${tag} && docker push --quiet ${tag}`.quiet();
  return tag;
}

async function openBench(): Promise<VolumeBench> {
  const instance = InstanceName.parse(`b${randomBytes(4).toString("hex")}`);
  const namespace = `sett-${instance}`;
  const env = { KUBECONFIG: kubeconfig };
  const client = new KubeClient(await findCluster(env, undefined));
  await ensureNamespace(client, namespace);
  const over = new AbortController();
  const all = { namespace, env, workspaceOf: () => "", interrupted: over.signal };
  const real = await kubernetesRuntime(all);
  const carrier = { image: await pushedImage() };
  const runtime: Runtime = {
    ...real,
    observe: {
      ...real.observe,
      readFiles: (volume) => real.observe.readFiles(volume, { owner, carrier }),
    },
    apply: {
      ...real.apply,
      writeFiles: (volume, files, how) => real.apply.writeFiles(volume, files, { ...how, carrier }),
    },
  };
  const id = "0123456789abcdef.1";
  const labels = (kind: PartKind) => ({ instance, workspace: "", version: "0", id, ...kind });
  return {
    ...{ instance, labels, runtime },
    [Symbol.asyncDispose]: async () => {
      await runtime.apply.removeInstance(instance, { blackboard: "remove" });
      await client.remove("Namespace", "", namespace);
      over.abort("over");
    },
  };
}

describe.skipIf(!isNight || kubeconfig === "")("the runtime of a cluster", () => {
  volumeFilesSuite(openBench, test);
});
