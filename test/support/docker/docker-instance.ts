// An instance's name for one test, and everything on the engine that carries it removed at the end,
// whatever happened.

import { randomBytes } from "node:crypto";
import { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import { isServiceName } from "../../../lib/model/services.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import type { PartKind, PartLabels } from "../../../lib/runtime/labels.ts";
import type { EngineRuntime } from "../../../lib/runtime/port.ts";
import { scriptSpec } from "../records/script-spec.ts";
import { root } from "../root.ts";
import { docker, ensureTinyImage, tinyImage } from "./tiny-image.ts";

export type DockerInstance = AsyncDisposable & {
  runtime: EngineRuntime;
  instance: InstanceName;
  /** A name that no other test uses: `sett-{instance}-{suffix}`. */
  name(suffix: string): string;
  labels(kind: PartKind): PartLabels;
  /**
   * Starts a container of the tiny image that runs a shell script, as the agent `x1`, `x2`, … or
   * the service of that name, unless `over` says otherwise.
   */
  run(script: string, over?: Partial<ContainerSpec>): Promise<{ id: string }>;
  /** A tag for an image built in the test, removed with the rest. */
  imageTag(suffix: string): string;
};

/**
 * A repository in which no test starts a sett: of a folder that is not there, `sett down` of
 * another cannot know what it shares.
 */
export const elsewhere = root;

export async function dockerInstance(): Promise<DockerInstance> {
  await ensureTinyImage();
  const runtime = await dockerRuntime({ env: process.env });
  const instance = InstanceName.parse(`test-${randomBytes(6).toString("hex")}`);
  const tags: string[] = [];
  let containers = 0;
  const name = (suffix: string): string => `sett-${instance}-${suffix}`;
  const labels = (kind: PartKind): PartLabels => ({
    instance,
    workspace: elsewhere,
    version: "0.0.0",
    id: "aa.1",
    ...kind,
  });
  return {
    runtime,
    instance,
    name,
    labels,
    run(script, over = {}) {
      containers += 1;
      const agent = `x${containers}`;
      const labelled = over.labels?.component === "agent" ? over.labels.agent : agent;
      const own = over.name ?? name(`agent-${labelled}`);
      const service = own.slice(name("").length);
      const kind: PartKind = isServiceName(service)
        ? { component: service }
        : { component: "agent", agent: AgentName.parse(agent), role: "tester" };
      const spec = scriptSpec(script, { name: own, image: tinyImage, labels: labels(kind) });
      return runtime.apply.start({ ...spec, ...over });
    },
    imageTag(suffix) {
      const tag = `sett-test/${instance}:${suffix}`;
      tags.push(tag);
      return tag;
    },
    async [Symbol.asyncDispose]() {
      await runtime.apply.removeInstance(instance, { blackboard: "remove" });
      if (tags.length > 0) await docker("image", "rm", "--force", ...tags);
    },
  };
}
