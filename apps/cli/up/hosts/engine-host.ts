// An instance in containers of an Engine: its images, and what others have there.
import { dockerTranslation } from "../../../../lib/runtime/docker/translate.ts";
import type { EngineRuntime } from "../../../../lib/runtime/port.ts";
import { requireUsable } from "../checks/require-usable.ts";
import { takeNames } from "../checks/take-names.ts";
import { importImages } from "../images/carried-images.ts";
import { type Image, prepareCarrier, prepareImages } from "../images/images.ts";
import { rememberer, removeReplaced } from "../images/own-images.ts";
import { placeInVolume } from "./data-place.ts";
import { engineSocketFor } from "./engine-socket.ts";
import { type Host, type HostInput, usersOf } from "./host.ts";

export function engineHost(runtime: EngineRuntime, input: HostInput): Host {
  const { config, instance, repository, progress, shell, file } = input;
  const { version, interrupted: signal, env } = shell;
  const warn = (sentence: string) => shell.messages.warn(sentence);
  let cub: Image | undefined;
  const prepare = async () => {
    await importImages({ runtime, shell, progress });
    cub = await prepareCarrier({ runtime, version, progress, signal });
    return cub;
  };
  return {
    config,
    isInContainer: true,
    prepare: async () => void (await prepare()),
    takeNames: async ({ id, kept }) =>
      await takeNames({ runtime, instance, config, id, kept }, shell),
    requireUsable: async ({ id, before, engine: info }, problemAt) => {
      const workspace = repository.place.toplevel;
      const labels = { instance, id, workspace, version, component: "network" } as const;
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
    translation: async (_, { engine }) => {
      const socket = await engineSocketFor(config, { env, ...engine }, warn);
      return dockerTranslation({ cub: cub ?? (await prepare()), socket });
    },
    dataOf: placeInVolume,
    tidy: async ({ agents }, { kept }) => {
      const current = new Set([...agents.values()].map((image) => image.id));
      await removeReplaced(runtime, { kept, current }, warn);
    },
  };
}
