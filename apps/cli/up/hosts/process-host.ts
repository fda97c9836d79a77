// An instance as processes of this machine: there are no images, and nothing is another's.
import { blackboardVolumeName } from "../../../../lib/runtime/names.ts";
import { machineEnvironment } from "../../../../lib/runtime/process/machine-environment.ts";
import { Registry } from "../../../../lib/runtime/process/registry.ts";
import { processTranslation } from "../../../../lib/runtime/process/translate.ts";
import { requireUsable } from "../checks/require-usable.ts";
import { choosePorts } from "./choose-port.ts";
import { placeInFolder } from "./data-place.ts";
import type { Host, HostInput } from "./host.ts";
import { prepareMachine } from "./this-machine.ts";

export async function processHost(input: HostInput): Promise<Host> {
  const { file, repository, shell } = input;
  const { config, ...machine } = await prepareMachine(input.config, file, repository, shell);
  const image = { tag: "machine", id: "machine", env: machineEnvironment(shell.env) };
  return {
    config,
    isInContainer: false,
    prepare: async () => {},
    isNear: async () => true,
    takeNames: async () => {},
    requireUsable: async ({ before }, problemAt) =>
      await requireUsable({ file, config, problemAt, before, env: shell.env, engine: undefined }),
    images: async () => ({
      redis: image,
      orchestrator: image,
      gateway: image,
      api: image,
      agents: new Map(config.agents.map(({ name }) => [name, image])),
    }),
    translation: async (plans, { before }) =>
      processTranslation({ ...machine, ports: await choosePorts(before, plans) }),
    dataOf: ({ labels: { instance } }) => {
      const registry = new Registry(machine.processes.folder);
      return placeInFolder(registry.volumeFolder(blackboardVolumeName(instance)));
    },
    tidy: async () => {},
  };
}
