// The reader of logs: for an instance whose API people and programs ask. It gives the API the logs
// of this instance's parts, and can do nothing else.
import type { SettConfig } from "../../../lib/model/config.ts";
import { engineHolder } from "./engine-holder.ts";
import { gatewayStopSeconds, logReaderResources } from "./limits.ts";
import { defineService } from "./service.ts";

export const logsDoor = { door: "logs", variable: "SETT_LOGS_URL" } as const;

export const logReader = defineService({
  name: "log-reader",
  image: "orchestrator",
  isNeeded: showsLogs,
  plan: ({ instance }) =>
    engineHolder({
      instance,
      mode: "--log-reader",
      door: logsDoor.door,
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
