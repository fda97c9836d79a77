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
import { findPrograms } from "../instance/programs.ts";
import { processOptions } from "../instance/runtimes.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { onThisMachine } from "../up/hosts/this-machine.ts";
import { prepareCarrier } from "../up/images/images.ts";
import { findImageOf, type GrantImage, type WantedImage } from "./image-of-grant.ts";

export type ExaminationHost = {
  runtime: AttendedRuntime;
  /** Sett.yml as this runtime runs it. Throws `usage`, and `config-invalid`. */
  fit(read: { config: SettConfig; file: string }): Promise<SettConfig>;
  /** Throws `image-not-found`, and `usage`. */
  imageOf(board: PersonBlackboard, wanted: WantedImage): Promise<GrantImage>;
  translation(repository: HostRepository): Promise<Pick<Translation, "parts">>;
};

const streams = { hint: "What its command has printed: `sett unearth ID --streams`" };

/** Throws `usage` where no grant of the instance can be looked at. */
export function examinationHost(
  runtime: Runtime,
  parts: InstanceParts,
  shell: Shell,
): ExaminationHost {
  const { attend, engine } = runtime;
  const { instance } = parts;
  if (attend === undefined)
    throw new SettError(
      "usage",
      `${instance} is in a cluster: no grant is looked at there.`,
      streams,
    );
  if (engine === undefined) return onMachine({ ...runtime, attend }, parts, shell);
  if (parts.containers.some(({ labels }) => labels.component === "packs"))
    throw new SettError(
      "usage",
      `${instance} gives its agents commits by the service of packs (\`services.packs\`): no container can be made for a look at one.`,
      streams,
    );
  return onEngine({ ...runtime, attend, engine }, shell);
}

function onEngine(runtime: EngineRuntime, shell: Shell): ExaminationHost {
  return {
    runtime,
    fit: async ({ config }) => {
      if (config.services.reach !== "tls") return config;
      throw new SettError(
        "usage",
        "Agents reach services by TLS here (`services.reach`): no container can be made for a look at a grant.",
      );
    },
    imageOf: (board, wanted) => findImageOf(board, runtime, wanted),
    translation: async () => {
      using progress = new Progress(shell.err);
      const { version, interrupted: signal } = shell;
      const { tag, id } = await prepareCarrier({ runtime, version, progress, signal });
      return dockerTranslation({ cub: { tag, id }, socket: undefined, isNear: true });
    },
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
    fit: async ({ config, file }) => await onThisMachine(config, file),
    imageOf: async (_, { wanted }) => {
      if (wanted === undefined)
        return { tag: "machine", id: "machine", env: machineEnvironment(env), isRecorded: true };
      const message = `${instance} runs as processes of this machine, which have no image.`;
      throw new SettError("usage", message, { hint: "Leave --image out." });
    },
    translation: async ({ place: { toplevel: workspace } }) =>
      processTranslation({
        programs: await findPrograms({ withRedis: false }),
        processes: processOptions(env),
        workspace,
        // It reaches no service.
        ports: {},
      }),
  };
}
