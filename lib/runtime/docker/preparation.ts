// Plans what makes the prepared layer of an agent's workers: a container like theirs, of the same
// image and as confined, with nothing of the agent's but its variables. Pure.
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, Mount } from "../container-spec.ts";

/** The cub needs them to make a working copy, and to keep the command within its limits. */
const kept =
  /^SETT_(?:GIT_BINARY|GIT_LIBRARY_PATH|OBJECTS_DIR|EXCHANGE_DIR|DISK_LIMIT|PIDS_LIMIT|IMAGE_LD_LIBRARY_PATH|COMMAND_ENVIRONMENT(?:_\d+)?)$/;

/** They name the user, mostly by the agent; what is made is for all agents alike. */
const userNames = new Set(["USER", "LOGNAME"]);
const maker = "prepare";

/** Its own way through the proxy: what it needs for it, and the address. */
export type PreparationEgress = {
  mounts: readonly Mount[];
  url: string;
  network: NonNullable<ContainerSpec["network"]>;
};

/** The things that this command has beside what all are given. */
type OfPreparation = {
  egress: PreparationEgress | undefined;
  secrets: { mounts: readonly Mount[]; env: Readonly<Record<string, string>> } | undefined;
};

/**
 * `worker`: the template of the agent's workers. It has no way to Redis, no model, and no secret
 * but its own.
 */
export function preparationSpec(
  worker: ContainerSpec,
  { egress, secrets }: OfPreparation,
): ContainerSpec {
  const { SETT_OBJECTS_DIR: objects, SETT_EXCHANGE_DIR: exchange } = worker.env;
  // Not the agent's own folder in the exchange, where it publishes.
  const targets = ["/cub", "/tmp", objects, exchange];
  const { labels } = worker;
  const isNamed = (name: string, value: string) =>
    userNames.has(name) && "agent" in labels && value === labels.agent;
  const env = Object.entries(worker.env)
    .filter(([name]) => name !== "REDIS_URL" && (!name.startsWith("SETT_") || kept.test(name)))
    .map(([name, value]) => [name, isNamed(name, value) ? maker : value]);
  return {
    ...worker,
    env: {
      ...Object.fromEntries(env),
      ...secrets?.env,
      ...withoutUndefined({ SETT_EGRESS_URL: egress?.url }),
    },
    mounts: [
      ...worker.mounts.filter(({ target }) => targets.includes(target)),
      ...(egress?.mounts ?? []),
      ...(secrets?.mounts ?? []),
    ],
    network: egress?.network ?? "none",
    healthcheck: "none",
    restart: "no",
  };
}
