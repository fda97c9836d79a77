// An agent's container, or its process, that runs a shell script and may do nothing else.
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";

export function scriptSpec(
  script: string,
  given: Pick<ContainerSpec, "name" | "image" | "labels">,
): ContainerSpec {
  return {
    ...given,
    entrypoint: ["/bin/sh", "-c", script],
    env: {},
    mounts: [],
    capabilities: "none",
    restart: "no",
    stopTimeoutSeconds: 1,
  };
}
