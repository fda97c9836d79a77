// An instance in containers of an Engine: its images, and what others have there.
import type { SettConfig } from "../../../../lib/model/config.ts";
import { dockerTranslation } from "../../../../lib/runtime/docker/translate.ts";
import type { EngineRuntime } from "../../../../lib/runtime/port.ts";
import { requireReachable } from "../checks/require-reachable.ts";
import { requireUsable } from "../checks/require-usable.ts";
import { takeNames } from "../checks/take-names.ts";
import { importImages } from "../images/carried-images.ts";
import { type Image, prepareCarrier, prepareImages } from "../images/images.ts";
import { rememberer, removeReplaced } from "../images/own-images.ts";
import { placeInVolume } from "./data-place.ts";
import { engineSocketFor } from "./engine-socket.ts";
import { type Host, type HostInput, usersOf } from "./host.ts";

export function engineHost(runtime: EngineRuntime, input: HostInput): Host {
  const { cassettes, instance, repository, progress, shell, file } = input;
  const { version, interrupted: signal, env } = shell;
  const warn = (sentence: string) => shell.messages.warn(sentence);
  const { toplevel: workspace } = repository.place;
  const labelsOf = (id: string) =>
    ({ instance, id, workspace, version, component: "network" }) as const;
  let { config } = input;
  let cub: Image | undefined;
  const prepare = async () => {
    await importImages({ runtime, shell, progress });
    cub = await prepareCarrier({ runtime, version, progress, signal });
    return cub;
  };
  return {
    get config() {
      return config;
    },
    isInContainer: true,
    prepare: async () => void (await prepare()),
    takeNames: async ({ id, kept }) =>
      await takeNames({ runtime, instance, config, id, kept }, shell),
    isNear: async ({ id }) => {
      const isNear = await runtime.engine.seesFolder(repository.place.commonDir, labelsOf(id));
      if (!isNear) config = asElsewhere(config);
      return isNear;
    },
    requireUsable: async ({ id, before, engine: info, isNear }, problemAt) => {
      if (!isNear) requireReachable({ file, config: input.config, cassettes, problemAt }, warn);
      const labels = labelsOf(id);
      await requireUsable({
        file,
        config,
        problemAt,
        before,
        env,
        engine: { info, runtime, labels },
      });
    },
    images: async ({ id, kept, engine }, built) => {
      const { user: owner } = usersOf(engine, repository);
      const { isRebuild } = input;
      const remember = rememberer(kept, warn);
      const ids = { instance, id, version, remember, built };
      return await prepareImages({
        runtime,
        ...ids,
        config,
        isRebuild,
        owner,
        env,
        progress,
        signal,
      });
    },
    translation: async (_, { engine, isNear }) => {
      const socket = await engineSocketFor(config, { env, ...engine, isNear }, warn);
      return dockerTranslation({ cub: cub ?? (await prepare()), socket, isNear });
    },
    dataOf: placeInVolume,
    tidy: async ({ agents }, { kept }) => {
      const current = new Set([...agents.values()].map((image) => image.id));
      await removeReplaced(runtime, { kept, current }, warn);
    },
  };
}

/** Commits reach such an Engine by a service alone, and no file of this machine does. */
function asElsewhere(config: SettConfig): SettConfig {
  const { ca: _, ...way } = config.models.way;
  const services = { ...config.services, packs: "service" } as const;
  return { ...config, services, models: { ...config.models, way } };
}
