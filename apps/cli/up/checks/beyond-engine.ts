// Finds settings that the Engine would refuse only when it makes a container, after images were
// built. Pure.
import type { ConfigPath } from "../../../../lib/config/problems.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import type { Machine } from "../../services/limits.ts";

export type Finding = { path: ConfigPath; sentence: string };

/**
 * Every key that asks for more processors than the Engine has. It takes any limit of memory, and
 * others are checked with the file.
 */
export function beyondEngine(
  { agents, services }: Pick<SettConfig, "agents" | "services">,
  { cpus, canLimitProcessors }: Machine,
): Finding[] {
  if (!canLimitProcessors) return [];
  const wishes = [
    {
      path: ["services", "redis", "resources", "limits", "cpus"],
      count: services.redis.resources.limits.cpus,
    },
    ...agents.flatMap(({ name, resources: { limits, reservations } }) => [
      { path: ["agents", name, "resources", "limits", "cpus"], count: limits.cpus },
      { path: ["agents", name, "resources", "reservations", "cpus"], count: reservations?.cpus },
    ]),
  ];
  return wishes.flatMap(({ path, count }) =>
    count === undefined || count <= cpus
      ? []
      : [
          {
            path,
            sentence: `is ${count}, and the Docker Engine has ${cpus} processors: lower it, or leave it out`,
          },
        ],
  );
}
