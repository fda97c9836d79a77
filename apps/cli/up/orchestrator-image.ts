// Which image orchestrates: the one that belongs to this sett, or the one that sett.yml names, if the two can work together.
import { SettError } from "../../../lib/model/errors.ts";
import type { ImageInfo } from "../../../lib/runtime/port.ts";

const ownName = "sett/orchestrator";
const titleLabel = "org.opencontainers.image.title";
const versionLabel = "org.opencontainers.image.version";

const leaveItOut = "Leave `services.orchestrator.image` out of sett.yml, and the one that belongs to this sett is used";

/** The tag to look for. `v0.1.0` is how others write 0.1.0. */
export function orchestratorTag(asked: string | undefined, version: string): string {
  const own = `${ownName}:${version}`;
  return asked === undefined || asked === `${ownName}:v${version}` ? own : asked;
}

/**
 * The image of that tag, by `find`. Throws `image-not-found`, and `config-invalid` for one of another version: orchestrator, cubs and `sett` share
 * their words on the blackboard. An image that tells no version is somebody's own, and is trusted to fit.
 */
export async function findOrchestrator<Image extends ImageInfo>(
  asked: string | undefined,
  version: string,
  find: (tag: string) => Promise<Image>,
): Promise<Image> {
  const tag = orchestratorTag(asked, version);
  const image = await find(tag).catch((error: unknown) => {
    throw asked === ownName || asked?.startsWith(`${ownName}:`) ? explained(error, asked, version) : error;
  });
  const made = image.labels[versionLabel];
  if (image.labels[titleLabel] !== ownName || made === undefined || made === version) return image;
  throw new SettError(
    "config-invalid",
    `The image ${tag} orchestrates for Sett ${made}, and this is sett ${version}: they do not fit together.`,
    {
      hint: `${leaveItOut}. Or use sett ${made}.`,
    },
  );
}

function explained(error: unknown, asked: string, version: string): unknown {
  if (!(error instanceof SettError) || error.code !== "image-not-found") return error;
  return new SettError("image-not-found", `The image ${asked} is not here, and no registry gives it.`, {
    hint: `${leaveItOut}: ${ownName}:${version}.`,
    cause: error,
  });
}
