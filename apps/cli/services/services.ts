// The services of an instance: the one list, in the order in which people read it.
import type { ServiceName } from "../../../lib/model/services.ts";
import { api } from "./api.ts";
import { egress } from "./egress.ts";
import { gateway } from "./gateway.ts";
import { keeper } from "./keeper.ts";
import { logReader } from "./log-reader.ts";
import { orchestrator } from "./orchestrator.ts";
import { redis } from "./redis.ts";
import type { Service } from "./service.ts";
import { starter } from "./starter.ts";

/** The compiler asks for each name of `lib/model/services.ts`. */
const byName: Record<ServiceName, Service> = {
  redis,
  orchestrator,
  gateway,
  egress,
  starter,
  keeper,
  "log-reader": logReader,
  api,
};

export const services: readonly Service[] = Object.values(byName);

export function serviceOf(name: ServiceName): Service {
  return byName[name];
}
