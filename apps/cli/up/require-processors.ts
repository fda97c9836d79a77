// Refuses settings that the Engine would refuse only when it makes a container, after images were built. Pure.
import type { SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Machine } from "./container-limits.ts";

/** Throws `config-invalid`, with every key that asks for more processors than the Engine has. */
export function requireProcessors(
  { agents, services }: Pick<SettConfig, "agents" | "services">,
  { cpus, canLimitProcessors }: Machine,
): void {
  if (!canLimitProcessors) return;
  const ofRedis = { key: "services.redis.resources.limits.cpus", count: services.redis.resources.limits.cpus };
  const ofAgents = agents.flatMap(({ name, resources: { limits, reservations } }) => [
    { key: `agents.${name}.resources.limits.cpus`, count: limits.cpus },
    { key: `agents.${name}.resources.reservations.cpus`, count: reservations?.cpus },
  ]);
  const tooMany = [ofRedis, ...ofAgents].flatMap(({ key, count }) =>
    count === undefined || count <= cpus ? [] : [`\`${key}\` is ${count}`],
  );
  if (tooMany.length === 0) return;
  throw new SettError(
    "config-invalid",
    `The Docker Engine has ${cpus} processors, and sett.yml asks for more: ${tooMany.join(", ")}.`,
    {
      hint: "Lower it in sett.yml, or leave it out: an agent then has three quarters of the machine. `docker info` shows what the Engine has.",
    },
  );
}
