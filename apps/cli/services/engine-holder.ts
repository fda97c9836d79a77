// A service that holds the Engine, so that others need not have it: the starter of workers, the
// reader of logs. It can do one thing, which others ask for at its door. It has no network.
import type { InstanceName } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { Resources } from "../../../lib/runtime/container-spec.ts";
import type { Need } from "../../../lib/runtime/part-plan.ts";
import { temporaryFolder } from "./environment.ts";
import { serviceUser } from "./limits.ts";
import type { ServicePlan } from "./service.ts";

type Holder = {
  instance: InstanceName;
  /** The mode of the orchestrator's program. */
  mode: string;
  door: string;
  /** Its own, where it is asked by TLS. */
  key?: string;
  engine: Extract<Need, { kind: "engine" }>;
  resources: Resources;
};

export function engineHolder({
  instance,
  mode,
  door,
  key,
  engine,
  resources,
}: Holder): ServicePlan {
  return {
    program: "orchestrator",
    start: { args: [mode] },
    isBarrier: true,
    env: { SETT_INSTANCE_NAME: instance },
    needs: [
      { kind: "serve", door, variable: "SETT_SOCKET", ...withoutUndefined({ key }) },
      engine,
      temporaryFolder(16),
    ],
    network: "none",
    healthPort: 8080,
    user: serviceUser,
    resources,
    pidsLimit: 512,
  };
}
