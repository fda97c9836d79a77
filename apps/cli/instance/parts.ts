// The parts of an instance: their names, their states, and which are missing.

import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { nearestWord } from "../../../lib/config/nearest-word.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { workspaceVolumeName } from "../../../lib/runtime/names.ts";
import { partName } from "../../../lib/runtime/part-name.ts";
import type { ContainerPart, InstanceParts } from "../../../lib/runtime/port.ts";
import type { Service } from "../services/service.ts";
import { services } from "../services/services.ts";

export function stateWord({ state }: ContainerPart): string {
  switch (state.state) {
    case "running":
      return state.health === "unhealthy" ? "unhealthy" : "running";
    case "created":
    case "paused":
    case "unsupervised":
    case "restarting":
    case "exited":
      return state.state;
    default:
      return unreachable(state);
  }
}

/**
 * Every part that an instance with containers should have. The state of a part without a container
 * is `missing`.
 */
export function partStates(parts: InstanceParts): { name: string; state: string }[] {
  const { containers, volumes, removed = [] } = parts;
  if (containers.length === 0) return [];
  const present = containers.filter(hasToRun).map((container) => ({
    name: partName(container),
    state: stateWord(container),
  }));
  // Every agent with a container has a workspace volume, which stays when that is removed.
  const agents = volumes.flatMap(({ name, labels }) =>
    labels.component === "workspace" && name === workspaceVolumeName(labels.instance, labels.agent)
      ? [labels.agent]
      : [],
  );
  const isExpected = ({ sign }: Service) => {
    if (sign === "always") return true;
    if ("variable" in sign) return containers.some(({ env }) => env[sign.variable] !== undefined);
    return volumes.some(({ labels }) => labels.component === sign.volume);
  };
  const expected = [...services.filter(isExpected).map(({ name }) => name), ...agents, ...removed];
  const missing = [...new Set(expected)].filter(
    (name) => !present.some((part) => part.name === name),
  );
  return [...present, ...missing.map((name) => ({ name, state: "missing" }))];
}

/**
 * A worker, a service beside one, an examination and the maker of a layer end; one that a restart
 * of the machine ended is no loss.
 */
function hasToRun({ labels: { component }, state }: ContainerPart): boolean {
  const ends = ["worker", "sidecar", "layer", "examination"].includes(component);
  return state.state === "running" || !ends;
}

/** `running`, `stopped`, or `2 of 3 running`; undefined for an instance without containers. */
export function howItRuns(parts: InstanceParts): string | undefined {
  const states = partStates(parts);
  const dead = states.filter(({ state }) => state !== "running");
  if (states.length === 0) return undefined;
  if (dead.length === 0) return "running";
  if (dead.length === states.length) return "stopped";
  return `${states.length - dead.length} of ${states.length} running`;
}

/**
 * Throws `agent-not-found` where no part has this name, and `not-ready` where its container is
 * missing.
 */
export function partOf(parts: InstanceParts, name: string, suggest: Suggest): ContainerPart {
  const { instance, containers } = parts;
  const found = containers.find(
    (container) => partName(container) === name || container.name === name,
  );
  if (found !== undefined) return found;
  if (partStates(parts).some((part) => part.name === name && part.state === "missing")) {
    throw new SettError("not-ready", `The container of ${name} was removed, and its log with it.`, {
      hint: `\`${suggest("up")}\` starts a new one.`,
    });
  }
  const known = containers.map(partName);
  const nearest = nearestWord(name, known);
  throw new SettError(
    "agent-not-found",
    `${instance} has no part named ${name}. It has ${known.join(", ")}.`,
    {
      hint:
        nearest === undefined
          ? "Use the agent's name in sett.yml. People and external agents have no log, because sett starts no container for them."
          : `Did you mean \`${suggest(`logs ${nearest}`)}\`?`,
    },
  );
}
