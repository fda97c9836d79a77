// Shows what the shared suite needs of an instance, in whatever runs it: see `dockerInstance` and
// `processInstance`.

import type { SettErrorCode } from "../../../../lib/model/errors.ts";
import type { Runtime } from "../../../../lib/runtime/port.ts";
import { type DockerInstance, dockerInstance } from "../../../support/docker/docker-instance.ts";
import {
  type ProcessInstance,
  processInstance,
} from "../../../support/process/process-instance.ts";

export type RuntimeBench = Omit<DockerInstance, "imageTag" | "runtime"> & {
  runtime: Runtime;
  /** The code of what this runtime refuses. */
  refusal: SettErrorCode;
  /** Another instance on the same machine. */
  beside(): Promise<RuntimeBench>;
};

export async function openDockerBench(): Promise<RuntimeBench> {
  return { ...(await dockerInstance()), refusal: "docker-failed", beside: openDockerBench };
}

export async function openProcessBench(beside?: ProcessInstance): Promise<RuntimeBench> {
  const own = await processInstance(beside);
  return { ...own, refusal: "process-failed", beside: () => openProcessBench(own) };
}
