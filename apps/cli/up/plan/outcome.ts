// Says what a `sett up` has changed, by the names of parts. Pure.
import { isDeepStrictEqual } from "node:util";
import { kindOf, nameWithKind } from "../../../../lib/client/facts/agent-kind.ts";
import type { AgentRegistration, RegisteredAgent } from "../../../../lib/model/agent.ts";
import type { AgentName } from "../../../../lib/model/ids.ts";
import type { ContainerPart } from "../../../../lib/runtime/port.ts";
import { serviceOfPart } from "../../services/services.ts";
import type { Change, Diff } from "./diff.ts";

/**
 * Names of parts, by outcome. Agents without a container are `registered`, and later `removed`.
 * `repaired`: the container stays, but its registration on the blackboard was wrong and was written
 * again.
 */
export type Outcome = Record<
  "started" | "replaced" | "registered" | "repaired" | "stopped" | "removed" | "kept",
  string[]
>;

export function outcomeOf(
  changes: Diff,
  removed: ContainerPart[],
  before: RegisteredAgent[],
  registrations: readonly AgentRegistration[],
): Outcome {
  const parts = [...changes.services.filter(isReported(changes, removed)), ...changes.agents];
  const names = (kind: Change["kind"]) =>
    parts.flatMap((part) => (part.kind === kind ? [part.name] : []));
  const isOther = (name: string) =>
    before.some(
      (known) => known.name === name && !registrations.some((agent) => isSame(known, agent)),
    );
  const notStarted = registrations.filter((agent) => kindOf(agent) !== undefined);
  const isKnown = (agent: AgentRegistration) => before.some((known) => isSame(known, agent));
  const stopped = [
    ...new Set(
      removed
        .filter((part) => !isOfAgents(part) && !isOldWorker(part, registrations))
        .map(({ labels }) => ("agent" in labels ? labels.agent : labels.component)),
    ),
  ];
  return {
    started: names("start"),
    replaced: names("replace"),
    registered: notStarted.filter((agent) => !isKnown(agent)).map(nameWithKind),
    repaired: names("keep").filter(isOther),
    stopped,
    removed: before
      .map(({ name }) => name)
      .filter((name) => !stopped.includes(name) && !isAmong(registrations, name)),
    kept: [
      ...names("keep").filter((name) => !isOther(name)),
      ...notStarted.filter(isKnown).map(nameWithKind),
    ],
  };
}

/** The service that belongs to the agents, where it alone has changed. */
function isReported({ agents }: Diff, removed: readonly ContainerPart[]) {
  const isAlone = removed.length === 0 && agents.every(({ kind }) => kind === "keep");
  return ({ kind, planned: { service } }: Diff["services"][number]) =>
    service.isOfAgents !== true || (isAlone && kind !== "keep");
}

/** Its agent stays, and gets others. */
function isOldWorker(
  { labels }: ContainerPart,
  registrations: readonly AgentRegistration[],
): boolean {
  return labels.component === "worker" && isAmong(registrations, labels.agent);
}

function isOfAgents({ labels }: ContainerPart): boolean {
  return serviceOfPart(labels)?.isOfAgents === true;
}

/** Where an agent was put before it in sett.yml it has another place, and nothing was wrong. */
function isSame(known: RegisteredAgent, agent: AgentRegistration): boolean {
  return isDeepStrictEqual({ ...known, position: 0 }, { ...agent, position: 0 });
}

function isAmong(agents: readonly AgentRegistration[], name: AgentName): boolean {
  return agents.some((agent) => agent.name === name);
}
