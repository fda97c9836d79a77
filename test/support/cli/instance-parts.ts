// An instance with one agent, as the container runtime reports it.
import { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import type { PartKind } from "../../../lib/runtime/labels.ts";
import type { ContainerPart, InstanceParts } from "../../../lib/runtime/port.ts";

const agent = AgentName.parse("coder");

/** `has`: all of it and running; the network and what was to be kept; or only that. */
export function instanceParts(
  name: string,
  workspace: string,
  has: "containers" | "network" | "blackboard",
): InstanceParts {
  const instance = InstanceName.parse(name);
  const labels = <Kind extends PartKind>(kind: Kind) => ({
    instance,
    workspace,
    version: "1",
    ...kind,
  });
  const container = (suffix: string, kind: PartKind): ContainerPart => ({
    id: suffix,
    name: `sett-${name}-${suffix}`,
    labels: labels(kind),
    image: { tag: "", id: "" },
    state: { state: "running", startedAt: "", health: "none" },
    restarts: 0,
    isOutOfMemory: false,
    memoryBytes: undefined,
    createdAt: "",
    env: {},
    ports: [],
  });
  const isWhole = has === "containers";
  return {
    instance,
    containers: isWhole
      ? [
          container("agent-coder", { component: "agent", agent, role: "coder" }),
          container("orchestrator", { component: "orchestrator" }),
          container("redis", { component: "redis" }),
        ]
      : [],
    networks:
      has === "blackboard"
        ? []
        : [{ id: "1", name: `sett-${name}`, labels: labels({ component: "network" }) }],
    volumes: [
      { name: `sett-${name}-blackboard`, labels: labels({ component: "blackboard" }) },
      ...(isWhole
        ? [
            {
              name: `sett-${name}-workspace-coder`,
              labels: labels({ component: "workspace", agent }),
            },
          ]
        : []),
    ],
  };
}

/** A runtime that knows these instances and nothing else. */
export const runtimeWith = (...all: InstanceParts[]) => ({
  instances: async () => all,
  parts: async (instance: InstanceName) =>
    all.find((parts) => parts.instance === instance) ?? {
      instance,
      containers: [],
      networks: [],
      volumes: [],
    },
});
