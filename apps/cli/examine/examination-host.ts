// Each runtime brings this to a look at a grant: how it runs sett.yml, the image of the grant, and
// how the needs of a container are met.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { dockerTranslation } from "../../../lib/runtime/docker/translate.ts";
import type { Translation } from "../../../lib/runtime/part-plan.ts";
import type {
  AttendedRuntime,
  EngineRuntime,
  InstanceParts,
  Runtime,
} from "../../../lib/runtime/port.ts";
import { machineEnvironment } from "../../../lib/runtime/process/machine-environment.ts";
import { processTranslation } from "../../../lib/runtime/process/translate.ts";
import { knownClusters } from "../instance/clusters.ts";
import { findPrograms } from "../instance/programs.ts";
import { processOptions, requireEngine } from "../instance/runtimes.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { inCluster, translationFor } from "../up/hosts/cluster-host.ts";
import { onThisMachine } from "../up/hosts/this-machine.ts";
import { prepareCarrier } from "../up/images/images.ts";
import {
  findImageOf,
  type GrantImage,
  inRegistryOf,
  onEngineOf,
  type WantedImage,
} from "./image-of-grant.ts";

/** Sett.yml as a runtime runs it. `isApart`: as of a host of `sett up`. */
export type Fitted = {
  config: SettConfig;
  isApart?: true;
  translation(repository: HostRepository): Promise<Pick<Translation, "parts">>;
};

export type ExaminationHost = {
  runtime: AttendedRuntime;
  /** Throws `usage`, and `config-invalid`. */
  fit(read: { config: SettConfig; file: string }): Promise<Fitted>;
  /** Throws `image-not-found`, and `usage`. */
  imageOf(board: PersonBlackboard, wanted: WantedImage): Promise<GrantImage>;
};

/** Throws `usage` where no grant of the instance can be looked at. */
export async function examinationHost(
  runtime: Runtime,
  parts: InstanceParts,
  shell: Shell,
): Promise<ExaminationHost> {
  const { attend, engine } = runtime;
  const { instance } = parts;
  if (attend === undefined) throw new Error("No person can be at a command there.");
  const clusters = await knownClusters(shell);
  const cluster = clusters.find((each) => each.instance === instance);
  if (cluster !== undefined) return onCluster({ ...runtime, attend }, cluster.namespace, shell);
  if (engine === undefined) return onMachine({ ...runtime, attend }, parts, shell);
  const isServed = parts.containers.some(({ labels }) => labels.component === "packs");
  return onEngine({ ...runtime, attend, engine }, isServed, shell);
}

/** `isServed`: its agents get commits by the service of packs. */
function onEngine(runtime: EngineRuntime, isServed: boolean, shell: Shell): ExaminationHost {
  return {
    runtime,
    fit: async ({ config }) => {
      const packs = isServed ? "service" : "folders";
      return {
        config: { ...config, services: { ...config.services, packs } },
        translation: async () => {
          using progress = new Progress(shell.err);
          const { version, interrupted: signal } = shell;
          const { tag, id } = await prepareCarrier({ runtime, version, progress, signal });
          return dockerTranslation({ cub: { tag, id }, socket: undefined, isNear: !isServed });
        },
      };
    },
    imageOf: (board, wanted) => findImageOf(board, onEngineOf(runtime), wanted),
  };
}

/** An Engine of this machine knows what the images are made of that the cluster pulls. */
function onCluster(runtime: AttendedRuntime, namespace: string, shell: Shell): ExaminationHost {
  return {
    runtime,
    fit: async ({ config }) => ({
      config: inCluster(config),
      isApart: true,
      translation: async () => translationFor(config, namespace),
    }),
    imageOf: async (board, wanted) =>
      await findImageOf(board, inRegistryOf(await requireEngine(shell), shell), wanted),
  };
}

/** Each process has the files and the network of the person, as the cubs have. */
function onMachine(
  runtime: AttendedRuntime,
  { instance }: InstanceParts,
  { env }: Shell,
): ExaminationHost {
  return {
    runtime,
    fit: async ({ config, file }) => ({
      config: await onThisMachine(config, file),
      translation: async ({ place: { toplevel: workspace } }) =>
        processTranslation({
          programs: await findPrograms({ withRedis: false }),
          processes: processOptions(env),
          workspace,
          // It reaches no service.
          ports: {},
        }),
    }),
    imageOf: async (_, { wanted }) => {
      if (wanted === undefined)
        return { tag: "machine", id: "machine", env: machineEnvironment(env), isRecorded: true };
      const message = `${instance} runs as processes of this machine, which have no image.`;
      throw new SettError("usage", message, { hint: "Leave --image out." });
    },
  };
}
