// The plan of an instance whose sett.yml is given, with every image there: for tests of its parts.
import type { PlanInput } from "../../../apps/cli/services/input.ts";
import {
  type InstancePlan,
  type PlannedService,
  planInstance,
} from "../../../apps/cli/up/plan/plan.ts";
import { parseConfig } from "../../../lib/config/parse-config.ts";
import { sharedFolders } from "../../../lib/git/exchange/shared-folders.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import type { ServiceName } from "../../../lib/model/services.ts";
import { dockerTranslation, type EngineSocket } from "../../../lib/runtime/docker/translate.ts";
import type { Translation } from "../../../lib/runtime/part-plan.ts";

export const sampleUser = { uid: 1000, gid: 1001 };
const image = (tag: string) => ({ tag, id: "sha256:1", env: {} });

/** `host`: the variables of the shell. Throws where the file has a mistake. */
export function sampleConfig(
  text: string,
  host: Readonly<Record<string, string>> = {},
): SettConfig {
  const { config, mistakes } = parseConfig({ text, file: "sett.yml", folder: "/work", host });
  if (config === undefined) throw new Error(JSON.stringify(mistakes));
  return config;
}

/** Each service is also there by its name. */
export type SamplePlan = InstancePlan &
  Record<"redis" | "orchestrator", PlannedService> &
  Partial<Record<ServiceName, PlannedService>>;

type Engine = { cub?: { tag: string; id: string }; socket?: EngineSocket; isNear?: boolean };

export function samplePlan(
  config: SettConfig,
  over: Partial<PlanInput> = {},
  engine: Engine | Translation = {},
): SamplePlan {
  const translation =
    "parts" in engine
      ? engine
      : dockerTranslation({
          cub: image("sett/cub:1.2.3"),
          socket: undefined,
          isNear: true,
          ...engine,
        });
  const plan = planInstance(sampleInput(config, over), translation);
  const named = plan.services.map((planned) => [planned.service.name, planned]);
  return { ...plan, ...Object.fromEntries(named) };
}

/** The folders by which agents and the API share commits. */
export function repositoryAt(objectsDir: string, exchangeDir: string): PlanInput["repository"] {
  return {
    foldersFor: (reader) => sharedFolders({ objectsDir, exchangeDir }, reader),
    user: sampleUser,
  };
}

export function sampleInput(config: SettConfig, over: Partial<PlanInput> = {}): PlanInput {
  return {
    instance: InstanceName.parse("demo"),
    id: "0123456789abcdef.1790000000",
    workspace: "/home/ada/repository",
    version: "1.2.3",
    config,
    repository: repositoryAt("/objects", "/exchange"),
    registrations: [],
    images: {
      redis: image("redis:7-alpine"),
      orchestrator: image("sett/orchestrator:1.2.3"),
      gateway: image("sett/gateway:1.2.3"),
      api: image("sett/api:1.2.3"),
      agents: new Map(config.agents.map(({ name }) => [name, image("some/image:1")])),
    },
    password: "secret",
    isLayered: false,
    machine: { cpus: 4, memoryBytes: 6e9, canLimitSystemCalls: true, canLimitProcessors: true },
    ...over,
  };
}
