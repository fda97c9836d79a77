// The plan of an instance whose sett.yml is given, with every image there: for tests of its parts.

import { planInstance } from "../../../apps/cli/up/plan/plan.ts";
import type { PlanInput } from "../../../apps/cli/up/plan/plan-input.ts";
import { parseConfig } from "../../../lib/config/parse-config.ts";
import { sharedFolders } from "../../../lib/git/exchange/shared-folders.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { InstanceName } from "../../../lib/model/ids.ts";

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

export function samplePlan(
  config: SettConfig,
  over: Partial<PlanInput> = {},
): ReturnType<typeof planInstance> {
  return planInstance({
    instance: InstanceName.parse("demo"),
    id: "0123456789abcdef.1790000000",
    workspace: "/home/ada/repository",
    version: "1.2.3",
    config,
    repository: {
      foldersFor: (reader) =>
        sharedFolders({ objectsDir: "/objects", exchangeDir: "/exchange" }, reader),
      user: sampleUser,
    },
    registrations: [],
    images: {
      redis: image("redis:7-alpine"),
      orchestrator: image("sett/orchestrator:1.2.3"),
      gateway: image("sett/gateway:1.2.3"),
      cub: image("sett/cub:1.2.3"),
      agents: new Map(config.agents.map(({ name }) => [name, image("some/image:1")])),
    },
    password: "secret",
    machine: { cpus: 4, memoryBytes: 6e9, canLimitSystemCalls: true, canLimitProcessors: true },
    engineSocket: undefined,
    ...over,
  });
}
