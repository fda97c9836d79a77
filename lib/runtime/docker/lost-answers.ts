// Removes what the Engine may have made although it did not say so: its answer was lost, came too
// late, or was a proxy's. It is removed, since no later step would know of it. Each is known by
// labels that only this creation has given.
import type Docker from "dockerode";
import { messageOf, SettError } from "../../model/errors.ts";
import { joined } from "../../model/one-error.ts";
import { madeLabel } from "../labels.ts";
import { askIfThere, explain, statusOf, wasNotSent } from "./errors.ts";

type Labels = Readonly<Record<string, string>>;
type Part = { sort: "container" | "network" | "volume"; name: string };

const removalOf: Record<Part["sort"], string> = {
  container: "docker rm --force",
  network: "docker network rm",
  volume: "docker volume rm",
};

/**
 * The error of a container's creation that has failed. What was made all the same is removed; the
 * error names it where that fails.
 */
export async function afterLostContainer(
  docker: Docker,
  { why, doing, name, made }: { why: unknown; doing: string; name: string; made: string },
): Promise<SettError> {
  return await afterLost({ why, doing, sort: "container", name }, async () => {
    const container = docker.getContainer(name);
    const found = await askIfThere(`look for the container ${name}`, () => container.inspect());
    if (found?.Config.Labels?.[madeLabel] !== made) return;
    await askIfThere(`remove the container ${name}`, () =>
      docker.getContainer(found.Id).remove({ force: true, v: true }),
    );
  });
}

/** The same for a network. */
export async function afterLostNetwork(
  docker: Docker,
  { why, doing, name, labels }: { why: unknown; doing: string; name: string; labels: Labels },
): Promise<SettError> {
  return await afterLost({ why, doing, sort: "network", name }, async () => {
    const networks = await askIfThere("list its networks", () => docker.listNetworks());
    const lost = networks?.filter(
      (network) => network.Name === name && hasAll(network.Labels, labels),
    );
    for (const { Id } of lost ?? [])
      await askIfThere(`remove the network ${name}`, () => docker.getNetwork(Id).remove());
  });
}

/** The same for a volume. `labels`: those of one that did not exist a moment before. */
export async function afterLostVolume(
  docker: Docker,
  { why, doing, name, labels }: { why: unknown; doing: string; name: string; labels: Labels },
): Promise<SettError> {
  return await afterLost({ why, doing, sort: "volume", name }, async () => {
    const volume = docker.getVolume(name);
    const found = await askIfThere(`look for the volume ${name}`, () => volume.inspect());
    if (found === undefined || !hasAll(found.Labels, labels)) return;
    await askIfThere(`remove the volume ${name}`, () => volume.remove());
  });
}

type Failed = Part & { why: unknown; doing: string };

async function afterLost(
  { why, doing, ...part }: Failed,
  remove: () => Promise<void>,
): Promise<SettError> {
  const error = explain(why, doing);
  // With a status below 500 the Engine refuses: it has made nothing.
  if ((statusOf(why) ?? 500) < 500 || wasNotSent(why)) return error;
  try {
    await remove().catch(remove);
    return error;
  } catch (because) {
    return joined(error, left(part, because, "may be there"));
  }
}

/** Says of a part that no later step knows that it is there, and the command that removes it. */
export function left(
  { sort, name }: Part,
  because: unknown,
  is: "stays" | "may be there" = "stays",
): SettError {
  const message = `The ${sort} ${name} ${is}: ${messageOf(because)}`;
  const hint = `Remove it before you go on: ${removalOf[sort]} ${name}`;
  return new SettError("docker-failed", message, { hint, cause: because });
}

function hasAll(found: Labels | null | undefined, labels: Labels): boolean {
  return Object.entries(labels).every(([key, value]) => found?.[key] === value);
}
