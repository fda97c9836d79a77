// All that the plan of an instance is made of, and the parts of it that others look at.
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import type { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerSpec, Owner } from "../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../lib/runtime/labels.ts";
import { redisName } from "../../../lib/runtime/names.ts";
import { redisPort } from "../open-blackboard.ts";
import type { EngineSocket } from "./engine-socket.ts";

/** `env` and `labels` are what the image itself sets. */
export type PlannedImage = {
  tag: string;
  id: string;
  env: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
};

export type PlanInput = {
  instance: InstanceName;
  /** The repository's folder. */
  workspace: string;
  version: string;
  config: SettConfig;
  registrations: readonly AgentRegistration[];
  repository: { objectsDir: string; exchangeDir: string; user: Owner };
  images: {
    redis: PlannedImage;
    orchestrator: PlannedImage;
    cub: PlannedImage;
    agents: ReadonlyMap<AgentName, PlannedImage>;
  };
  /** Of the instance's Redis: letters and digits. */
  password: string;
  /** Needed where an agent has workers. */
  engineSocket: EngineSocket | undefined;
};

export type PlannedVolume = { name: string; labels: PartLabels };

export type PlannedAgent = {
  agent: AgentName;
  spec: ContainerSpec;
  workspace: PlannedVolume & { owner: Owner; image: string };
};

export function redisUrl({ instance, password }: Pick<PlanInput, "instance" | "password">): string {
  return `redis://:${password}@${redisName(instance)}:${redisPort}`;
}
