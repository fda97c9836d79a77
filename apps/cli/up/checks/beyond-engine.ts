// Finds settings that the Engine would refuse only when it makes a container, after images were
// built. Pure.
import type { ConfigPath } from "../../../../lib/config/problems.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { runtimeOf } from "../../../../lib/model/isolation.ts";
import type { Machine } from "../../services/limits.ts";

export type Finding = { path: ConfigPath; sentence: string };

/**
 * Every key that asks for more processors than the Engine has, or for a runtime that it does not
 * have. It takes any limit of memory, and others are checked with the file.
 */
export function beyondEngine(
  config: Pick<SettConfig, "agents" | "services" | "isolation">,
  machine: Machine,
): Finding[] {
  return [
    ...tooManyProcessors(config, machine),
    ...unknownRuntimes(config, machine),
    ...isolatedServices(config),
  ];
}

/** Such a runtime gives each container a network that no other one can be in. */
function isolatedServices({
  agents,
  isolation,
}: Pick<SettConfig, "agents" | "isolation">): Finding[] {
  return agents
    .filter((agent) => agent.services.length > 0 && (agent.isolation ?? isolation) !== undefined)
    .map(({ name }) => ({
      path: ["agents", name, "services"],
      sentence:
        "cannot be combined with `isolation` in Docker, where each such container has a network of its own: leave one of them out",
    }));
}

/** Every key that names a runtime which the Engine does not have. */
function unknownRuntimes(
  config: Pick<SettConfig, "agents" | "isolation">,
  { runtimes = [] }: Machine,
): Finding[] {
  return isolationKeys(config).flatMap(({ path, wish }) =>
    runtimeOf(wish, runtimes) === undefined
      ? [{ path, sentence: unknownRuntime(wish, runtimes) }]
      : [],
  );
}

/** Every key that names a runtime, or a kind of them, with what it names. */
export function isolationKeys({
  agents,
  isolation,
}: Pick<SettConfig, "agents" | "isolation">): { path: ConfigPath; wish: string }[] {
  const keys = [
    { path: ["isolation"], wish: isolation },
    ...agents.map(({ name, isolation: wish }) => ({ path: ["agents", name, "isolation"], wish })),
  ];
  return keys.flatMap(({ path, wish }) => (wish === undefined ? [] : [{ path, wish }]));
}

export function unknownRuntime(wish: string, known: readonly string[]): string {
  return `is \`${wish}\`, which this Docker Engine does not know; it knows ${known.join(", ") || "none"}: install it and name it in \`runtimes\` of the Engine's daemon.json, or leave the key out`;
}

function tooManyProcessors(
  { agents, services }: Pick<SettConfig, "agents" | "services">,
  { cpus, canLimitProcessors }: Machine,
): Finding[] {
  if (!canLimitProcessors) return [];
  const wishes = [
    {
      path: ["services", "redis", "resources", "limits", "cpus"],
      count: services.redis.resources.limits.cpus,
    },
    ...agents.flatMap(({ name, services: own }) =>
      own.map((service) => ({
        path: ["agents", name, "services", service.name, "resources", "limits", "cpus"],
        count: service.limits.cpus,
      })),
    ),
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
