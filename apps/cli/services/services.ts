// The services of an instance: the one list, in the order in which people read it.
import { isServiceName, type ServiceName } from "../../../lib/model/services.ts";
import type { PartLabels } from "../../../lib/runtime/labels.ts";
import { api } from "./api.ts";
import { egress } from "./egress.ts";
import { forge } from "./forge.ts";
import { gateway } from "./gateway.ts";
import { keeper } from "./keeper.ts";
import { logReader } from "./log-reader.ts";
import { notary } from "./notary.ts";
import { orchestrator } from "./orchestrator.ts";
import { packs } from "./packs.ts";
import { recorder } from "./recorder.ts";
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
  recorder,
  notary,
  "log-reader": logReader,
  packs,
  api,
  forge,
};

export const services: readonly Service[] = Object.values(byName);

export function serviceOf(name: ServiceName): Service {
  return byName[name];
}

/** Undefined for an agent, a worker, or a part of no service alone. */
export function serviceOfPart({ component }: PartLabels): Service | undefined {
  return isServiceName(component) ? byName[component] : undefined;
}
