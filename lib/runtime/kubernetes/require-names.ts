// Names of an instance's objects in a cluster, of which some have a prefix and an attempt. Pure.
import { needsWorkers } from "../../model/agent.ts";
import { SettError } from "../../model/errors.ts";
import { type AgentName, ClaimId, type InstanceName } from "../../model/ids.ts";
import { agentContainerName, serviceContainer, workerName } from "../names.ts";

/** A name of a Service, and of a pod's machine, is no longer. */
export const maxName = 63;
/** A StatefulSet adds the hash of its revision to a label. */
export const maxStatefulName = 52;

type Agent = Parameters<typeof needsWorkers>[0] & { name: AgentName };

const anyClaim = ClaimId.parse("00000000-0000-4000-8000-000000000000");
const lastAttempt = 9_999;

/** Throws `config-invalid` for the first name that is too long. */
export function requireNames(instance: InstanceName, agents: readonly Agent[]): void {
  // The longest name of a service that keeps something.
  requireShort(serviceContainer(instance, "recorder"), maxStatefulName);
  for (const { name, ...agent } of agents) {
    requireShort(agentContainerName(instance, name), maxName);
    if (needsWorkers(agent))
      requireShort(workerName(instance, name, anyClaim, lastAttempt), maxName);
  }
}

/** Throws `config-invalid`. */
export function requireShort(name: string, max: number): void {
  if (name.length <= max) return;
  throw new SettError(
    "config-invalid",
    `${name} has ${name.length} characters, and a cluster takes ${max} at most.`,
    { hint: "Choose a shorter name for the agent, or for the instance: sett up --name NAME" },
  );
}
