// The password of Redis that the parts of an instance have been started with.
import type { InstanceParts } from "../../../../lib/runtime/port.ts";

/** Undefined where no Redis is there. */
export function keptPassword(parts: InstanceParts | undefined): string | undefined {
  return parts?.containers.find(({ labels }) => labels.component === "redis")?.env.REDISCLI_AUTH;
}
