// The host of an instance, by its runtime.
import { unreachable } from "../../../../lib/model/unreachable.ts";
import type { FoundRuntime } from "../../instance/runtimes.ts";
import { clusterHost } from "./cluster-host.ts";
import { engineHost } from "./engine-host.ts";
import type { Host, HostInput } from "./host.ts";
import { processHost } from "./process-host.ts";

export async function hostOf(found: FoundRuntime, input: HostInput): Promise<Host> {
  switch (found.kind) {
    case "docker":
      return engineHost(found.runtime, input);
    case "process":
      return await processHost(input);
    case "kubernetes":
      return clusterHost(found, input);
    default:
      return unreachable(found);
  }
}
