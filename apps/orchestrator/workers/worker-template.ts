// What the orchestrator knows of an agent whose work is done by workers.
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";

/**
 * `agent`'s controller as `sett up` plans it: its workers get the same image, environment, mounts
 * and limits.
 */
export type WorkerTemplate = {
  agent: AgentRegistration["name"];
  replicas: number;
  spec: ContainerSpec;
};
