// Chooses the image of the orchestrator: the one of this sett's version, or the one in sett.yml if
// its version is the same.
import { SettError } from "../../../../lib/model/errors.ts";
import type { ImageInfo } from "../../../../lib/runtime/port.ts";

const ownName = "sett/orchestrator";
const titleLabel = "org.opencontainers.image.title";
const versionLabel = "org.opencontainers.image.version";

const leaveItOut =
  "Remove `services.orchestrator.image` from sett.yml, and sett uses the image of its own version";

/** The tag of the image. `v0.1.0` counts as 0.1.0. */
export function orchestratorTag(configured: string | undefined, version: string): string {
  const own = `${ownName}:${version}`;
  return configured === undefined || configured === `${ownName}:v${version}` ? own : configured;
}

/**
 * The image of that tag, by `find`. Throws `image-not-found`, and `config-invalid` for another
 * version: orchestrator, cubs and `sett` must use the same format of the blackboard. An image
 * without a version label is a person's own, and is accepted.
 */
export async function findOrchestrator<Image extends ImageInfo>(
  configured: string | undefined,
  version: string,
  find: (tag: string) => Promise<Image>,
): Promise<Image> {
  const tag = orchestratorTag(configured, version);
  const image = await find(tag).catch((error: unknown) => {
    throw configured === ownName || configured?.startsWith(`${ownName}:`)
      ? explained(error, configured, version)
      : error;
  });
  const made = image.labels[versionLabel];
  if (image.labels[titleLabel] !== ownName || made === undefined || made === version) return image;
  throw new SettError(
    "config-invalid",
    `The image ${tag} is an orchestrator of Sett ${made}, and this is sett ${version}: they do not work together.`,
    {
      hint: `${leaveItOut}. Or use sett ${made}.`,
    },
  );
}

function explained(error: unknown, configured: string, version: string): unknown {
  if (!(error instanceof SettError) || error.code !== "image-not-found") return error;
  return new SettError(
    "image-not-found",
    `The image ${configured} is not on this machine, and no registry has it.`,
    {
      hint: `${leaveItOut}: ${ownName}:${version}.`,
      cause: error,
    },
  );
}
