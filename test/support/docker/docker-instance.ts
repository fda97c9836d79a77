// An instance's name for one test, and everything on the engine that carries it removed at the end,
// whatever happened.

import { randomBytes } from "node:crypto";
import { AgentName, InstanceName } from "../../../lib/model/ids.ts";
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
   * Starts a container of the tiny image that runs a shell script, as agent `x` unless `over` says
   * otherwise.
   */
  run(script: string, over?: Partial<ContainerSpec>): Promise<{ id: string }>;
  /** A tag for an image built in the test, removed with the rest. */
  imageTag(suffix: string): string;
};

const agent = AgentName.parse("x");

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
    ...kind,
  });
  return {
    runtime,
    instance,
    name,
    labels,
    run(script, over = {}) {
      containers += 1;
      const labelled = labels({ component: "agent", agent, role: "tester" });
      const spec = scriptSpec(script, {
        name: name(`agent-x${containers}`),
        image: tinyImage,
        labels: labelled,
      });
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
