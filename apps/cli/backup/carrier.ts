// The pod by which a back-up reads the claims of an instance in a cluster, and a restore fills
// them.
import { resolve } from "node:path";
import { checkConfig } from "../../../lib/config/read-config.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Carrier, ContainerPart, EngineRuntime } from "../../../lib/runtime/port.ts";
import { findConfig } from "../program/config-path.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { importImages } from "../up/images/carried-images.ts";
import { prepareOrchestrator } from "../up/images/images.ts";
import { pushOne } from "../up/images/push-images.ts";

type Input = {
  instance: InstanceName;
  id: string;
  /** All of the instance, as they are now. */
  containers: readonly ContainerPart[];
  /** Undefined where there is no sett.yml, or none that can be read. */
  config: SettConfig | undefined;
  /** An image that no pod runs is pushed by it. */
  engine: () => Promise<EngineRuntime>;
  progress: Progress;
  shell: Shell;
};

/**
 * The image is the one of the orchestrator that runs, where its version is that of this program.
 * Throws `config-invalid` where sett.yml names no registry for another one.
 */
export async function carrierFor(input: Input): Promise<Carrier> {
  const { containers, config, shell } = input;
  const running = containers.find(
    ({ labels }) => labels.component === "orchestrator" && labels.version === shell.version,
  );
  const { pull_secret: pullSecret, node_selector: nodeSelector } = config?.kubernetes ?? {};
  return { image: running?.image.tag ?? (await pushed(input)), pullSecret, nodeSelector };
}

/** A sett.yml that cannot be read is none here: `sett up` will say so. */
export async function configHere({ cwd, env }: Shell): Promise<SettConfig | undefined> {
  try {
    const { file } = await findConfig({ cwd, env }, undefined);
    return (await checkConfig(resolve(cwd, file), env, { withoutKeys: true })).config;
  } catch (error) {
    if (!(error instanceof SettError)) throw error;
    return undefined;
  }
}

async function pushed({ instance, id, config, engine, progress, shell }: Input): Promise<string> {
  const registry = config?.images.push;
  if (registry === undefined) {
    const message = `The files of ${instance} in the cluster are read and written by a pod, whose image has no registry.`;
    throw new SettError("config-invalid", message, {
      hint: "Name it in sett.yml, as in `images: { push: registry.example.org/team }`.",
    });
  }
  const runtime = await engine().catch((error: unknown) => {
    if (!(error instanceof SettError)) throw error;
    const { code, hint } = error;
    const message = `The image of the pod for the files of ${instance} is pushed from here. ${error.message}`;
    throw new SettError(code, message, { hint, cause: error });
  });
  await importImages({ runtime, shell, progress });
  const { version, interrupted: signal } = shell;
  const search = { runtime, version, progress, signal };
  const image = await prepareOrchestrator(search, config?.services.orchestrator.image);
  const pushing = { runtime, instance, id, registry, progress, signal };
  return (await pushOne(pushing, image, "sett-orchestrator")).tag;
}
