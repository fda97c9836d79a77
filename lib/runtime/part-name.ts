// Says how people call a part of an instance.
import type { ContainerPart } from "./port.ts";

/**
 * The name of an agent, a worker or a service beside one; `redis`, `orchestrator`, `gateway`,
 * `egress`, `starter`, `keeper`, `api` or `log-reader` for the others.
 */
export function partName({ labels, name }: Pick<ContainerPart, "labels" | "name">): string {
  if (labels.component === "worker" || labels.component === "sidecar") return name;
  return labels.component === "agent" ? labels.agent : labels.component;
}
