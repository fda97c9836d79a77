// The reader of logs: for an instance whose API people and programs ask. It gives the API the logs
// of this instance's parts, and can do nothing else.
import type { SettConfig } from "../../../lib/model/config.ts";
import { logReaderCaller } from "../../../lib/model/proven-address.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { Need } from "../../../lib/runtime/part-plan.ts";
import { engineHolder } from "./engine-holder.ts";
import type { PlanInput } from "./input.ts";
import { gatewayStopSeconds, logReaderResources } from "./limits.ts";
import { proofFor } from "./reach.ts";
import { defineService } from "./service.ts";

const logsDoor = { door: "log-reader", variable: "SETT_LOGS_URL" } as const;

export const logReader = defineService({
  name: "log-reader",
  image: "orchestrator",
  isNeeded: showsLogs,
  plan: ({ instance, doors }) =>
    engineHolder({
      instance,
      mode: "--log-reader",
      door: logsDoor.door,
      ...withoutUndefined({ key: doors?.["log-reader"]?.key }),
      engine: { kind: "engine", power: "logs" },
      resources: logReaderResources,
    }),
  ready: "answers",
  starts: "any-time",
  stops: "after-agents",
  stopSeconds: gatewayStopSeconds,
  sign: { variable: logsDoor.variable },
});

/** Triggers run in the API as well, and ask for no log. */
export function showsLogs({ services }: Pick<SettConfig, "services">): boolean {
  return services.api !== undefined;
}

/** The way of the API to it. */
export function reachesLogs({ config, doors }: Pick<PlanInput, "config" | "doors">): Need[] {
  if (!showsLogs(config)) return [];
  const proof = proofFor({ doors }, logsDoor.door, logReaderCaller);
  return [{ kind: "power", power: "logs", ...logsDoor, ...withoutUndefined({ proof }) }];
}
