// Volumes that lie over another one: the Engine's own driver mounts an overlay when the first
// container uses it, and unmounts it with the last. So no container needs a privilege for it, and
// what only root may remove goes with the volume that it is in.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import type { LayeredVolumes } from "../port.ts";
import { ask } from "./errors.ts";
import { createVolume, prepareVolume, removeVolume } from "./volumes.ts";

/** Both are on one file system, as an overlay needs them. */
const [writtenFolder, workFolder] = ["upper", "work"];

/**
 * `redirect_dir`: a folder of the lower layer can be renamed, as in any working copy. The notes of
 * an overlay about itself are attributes that only root can set. `index`: of hard links, which no
 * checkout has.
 */
const mountOptions = ["redirect_dir=on", "index=off", "metacopy=off", "nosuid", "nodev"];

export function layersOn(docker: Docker): LayeredVolumes {
  return {
    makeUpper: (volume) => makeUpper(docker, volume),
    lay: (volume, over) => layVolume(docker, volume, over),
    remove: (volume) => removeVolume(docker, volume),
  };
}

async function makeUpper(
  docker: Docker,
  volume: Parameters<LayeredVolumes["makeUpper"]>[0],
): Promise<void> {
  const { name, owner, image } = volume;
  await createVolume(docker, volume);
  try {
    await prepareVolume(docker, name, { owner, image, inner: [writtenFolder, workFolder] });
  } catch (error) {
    await removeVolume(docker, name).catch(() => undefined);
    throw error;
  }
}

async function layVolume(
  docker: Docker,
  volume: Parameters<LayeredVolumes["lay"]>[0],
  { lowers, folder, upper }: Parameters<LayeredVolumes["lay"]>[1],
): Promise<void> {
  const [own, ...below] = await Promise.all([upper, ...lowers].map((each) => pathOf(docker, each)));
  const o = [
    `lowerdir=${below.map((path) => `${path}/${folder}`).join(":")}`,
    `upperdir=${own}/${writtenFolder}`,
    `workdir=${own}/${workFolder}`,
    ...mountOptions,
  ].join(",");
  await createVolume(docker, volume, { type: "overlay", device: "overlay", o });
}

/** Returns where the Engine has the volume, on its own machine. */
async function pathOf(docker: Docker, volume: string): Promise<string> {
  const { Mountpoint: path } = await ask(`look for the volume ${volume}`, () =>
    docker.getVolume(volume).inspect(),
  );
  // These end an option, a folder of several, or the meaning of the character after them.
  if (!/[,:\\]/.test(path)) return path;
  throw new SettError(
    "docker-failed",
    `The Engine has its volumes at ${path}: no overlay can be mounted over a path with such characters.`,
  );
}
