// A short `just chaos --cluster`, by night.
import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { isNight } from "../support/nightly.ts";
import { kubeconfig } from "../support/runtime/test-cluster.ts";
import { prepareCluster, startClusterWorld } from "./cluster-world.ts";
import { clusterKinds } from "./faults.ts";
import { runChaos } from "./run.ts";

test.skipIf(!isNight || kubeconfig === "")(
  "an instance in a cluster reaches its goals whatever of it and of the cluster is killed, and its person sees all of it",
  async () => {
    await using cluster = await prepareCluster();
    const stop = AbortSignal.timeout(1_500_000);
    for (const seed of [1, 2]) {
      const start = (run: { seed: number }) => startClusterWorld(cluster, run);
      const { violations, folder } = await runChaos(seed, stop, clusterKinds, start);
      expect({ seed, folder, violations }).toEqual({ seed, folder, violations: [] });
      await rm(folder, { recursive: true });
    }
  },
  1_520_000,
);
