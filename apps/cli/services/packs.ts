// The service of packs: for an instance whose agents do not reach the repository's folders
// (`services.packs: service`). It has what agents see of the repository, and what they publish, in
// a volume that no other part has, and nothing of the person's.
import { createHmac } from "node:crypto";
import type { AgentConfig, SettConfig } from "../../../lib/model/config.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import {
  filesVolumeName,
  storeVolumeName,
  workspaceVolumeName,
} from "../../../lib/runtime/names.ts";
import type { Need } from "../../../lib/runtime/part-plan.ts";
import { quietRuntime } from "../../../lib/service/quiet-runtime.ts";
import { temporaryFolder } from "./environment.ts";
import type { PlanInput } from "./input.ts";
import { gatewayStopSeconds, serviceResources, serviceUser } from "./limits.ts";
import { proofFor, serves } from "./reach.ts";
import { defineService } from "./service.ts";

export const packsPort = 8090;
/** The command line reads it from the container, as it reads Redis' password. */
export const packsTokenVariable = "SETT_PACKS_TOKEN";
const door = "packs";
const folder = "/packs";
const urlVariable = "SETT_PACKS_URL";
/** The limit of an agent's own copy. */
export const storeFolder = "/git/store";
/** No agent can have these names. */
const ofApi = "api";
const ofPerson = "user";

export const packs = defineService({
  name: "packs",
  image: "gateway",
  isNeeded: servesPacks,
  plan: ({ instance, config, password, doors }) => {
    const shelves = config.agents.map(({ name, workspace, resources }) => [
      name,
      workspace.mode === "rw" ? resources.limits.disk_bytes : null,
    ]);
    return {
      program: "gateway",
      start: { args: ["--packs"] },
      env: {
        SETT_INSTANCE_NAME: instance,
        ...quietRuntime,
        SETT_PACKS_DIR: folder,
        SETT_PACKS_SHELVES: JSON.stringify(Object.fromEntries(shelves)),
        [packsTokenVariable]: createHmac("sha256", password).update("packs").digest("hex"),
      },
      needs: [
        {
          kind: "shelf",
          name: filesVolumeName(instance, "packs"),
          of: { component: "packs-files" },
          target: folder,
        },
        serves({ doors }, door, [...config.agents.map(({ name }) => name), ...[ofApi, ofPerson]]),
        temporaryFolder(16),
      ],
      network: "instance",
      healthPort: 8080,
      ports: [
        {
          port: packsPort,
          published: "any",
          variables: { port: "SETT_PACKS_PORT", address: "SETT_PACKS_HOST" },
        },
      ],
      user: serviceUser,
      resources: serviceResources,
      pidsLimit: 512,
    };
  },
  ready: "answers",
  starts: "before-agents",
  // `sett down` fetches from it when all others have stopped.
  stops: "after-fetch",
  stopSeconds: gatewayStopSeconds,
  sign: { variable: urlVariable },
});

export function servesPacks({ services }: Pick<SettConfig, "services">): boolean {
  return services.packs === "service";
}

/** The place where an agent finds the commits of the instance, and leaves its own. */
export function commitsFor(input: PlanInput, { name, workspace }: AgentConfig): Need[] {
  if (workspace.mode === "none") return [];
  if (servesPacks(input.config)) return packsOf(input, name);
  const isWriter = workspace.mode === "rw";
  return [
    { kind: "store", folders: input.repository.foldersFor({ role: "agent", name, isWriter }) },
  ];
}

/** A person who looks at a grant reads there what agents see, and nothing else. */
export function packsOfLook({ doors }: Pick<PlanInput, "doors">): Need {
  const proof = proofFor({ doors }, door, ofPerson);
  const way = { door, agent: ofPerson, variable: urlVariable } as const;
  return { kind: "reach", ...way, ...withoutUndefined({ proof }) };
}

/** An agent's way to the service, and the place of its own copy of what is there. */
function packsOf({ instance, doors }: PlanInput, agent: AgentName): Need[] {
  const proof = proofFor({ doors }, door, agent);
  return [
    { kind: "reach", door, agent, variable: urlVariable, ...withoutUndefined({ proof }) },
    {
      kind: "shelf",
      name: storeVolumeName(workspaceVolumeName(instance, agent)),
      of: { component: "workspace", agent },
      target: storeFolder,
    },
  ];
}

/** By name: the copy has a volume of its own. */
export function volumesOfWorkspace(
  config: Pick<SettConfig, "services">,
  workspace: string,
): string[] {
  return servesPacks(config) ? [workspace, storeVolumeName(workspace)] : [workspace];
}

/** The API shows agents the commits of its goals, and reads their results. */
export function packsOfApi({ config, doors }: Pick<PlanInput, "config" | "doors">): Need[] {
  if (!servesPacks(config)) return [];
  const proof = proofFor({ doors }, door, ofApi);
  const way = { door, agent: ofApi, variable: urlVariable } as const;
  return [{ kind: "reach", ...way, ...withoutUndefined({ proof }) }];
}
