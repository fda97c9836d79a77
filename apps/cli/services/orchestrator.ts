// The orchestrator, which leads the claims of an instance.
import { policyOf } from "../../../lib/config/registrations.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { starterCaller } from "../../../lib/model/proven-address.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { Need } from "../../../lib/runtime/part-plan.ts";
import { leaseTime, reachesRedis, redisTimes, temporaryFolder } from "./environment.ts";
import type { PlanInput } from "./input.ts";
import { orchestratorStopSeconds, serviceResources, serviceUser } from "./limits.ts";
import { proofFor } from "./reach.ts";
import { defineService } from "./service.ts";
import { scalesOf, starterDoor } from "./starter.ts";
import { certificatesOut, hasProxyHere, wayOut } from "./way-out.ts";

/** The name of this machine in addresses of sett.yml. */
const machineName = "host.docker.internal";

export const orchestrator = defineService({
  name: "orchestrator",
  image: "orchestrator",
  isNeeded: () => true,
  plan: (input) => ({
    program: "orchestrator",
    env: environmentOf(input),
    needs: [
      reachesRedis(input, { role: "orchestrator" }),
      temporaryFolder(64),
      ...workersOf(input),
      ...(input.config.notify.length > 0 ? certificatesOut(input.config) : []),
    ],
    network: "instance",
    reachesMachine: notifiesMachine(input.config),
    user: serviceUser,
    resources: serviceResources,
    pidsLimit: 512,
  }),
  ready: "leads",
  starts: "any-time",
  stops: "with-agents",
  stopSeconds: orchestratorStopSeconds,
  sign: "always",
});

/** A receiver is a program of this machine, or the proxy on the way to it. */
function notifiesMachine(config: SettConfig): boolean {
  const { notify } = config;
  const isHere = ({ url }: { url: string }) => new URL(url).hostname === machineName;
  return notify.length > 0 && (hasProxyHere(config) || notify.some(isHere));
}

function environmentOf({ instance, config }: PlanInput): Record<string, string> {
  const { health_port } = config.services.orchestrator;
  return {
    SETT_INSTANCE_NAME: instance,
    ...redisTimes(config),
    ...leaseTime(config),
    ...(health_port !== undefined && { SETT_HEALTH_PORT: String(health_port) }),
    SETT_POLICY: JSON.stringify(policyOf(config)),
    ...(config.notify.length > 0 && {
      SETT_NOTIFY: JSON.stringify(config.notify),
      ...wayOut(config),
    }),
    // The holder is the same after a restart, so that it acquires its leader lease again at once.
    SETT_HOLDER: "orchestrator",
  };
}

/**
 * It knows how many workers an agent may have, and in containers nothing of what they are made
 * from.
 */
function workersOf(input: PlanInput): Need[] {
  // The starter alone has the variables of services beside agents.
  const scales = scalesOf(input).map(({ sidecars: _, ...scale }) => scale);
  if (scales.length === 0) return [];
  const proof = proofFor(input, starterDoor.door, starterCaller);
  return [
    { kind: "power", power: "workers", ...starterDoor, scales, ...withoutUndefined({ proof }) },
  ];
}
