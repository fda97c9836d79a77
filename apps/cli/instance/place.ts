// The place of an instance: its Redis on this machine, and its repository.
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerPart, InstanceParts } from "../../../lib/runtime/port.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import { findInstance, hasContainers, instanceNameOf, workspaceOf } from "./find-instance.ts";
import { runtimeOf } from "./runtimes.ts";

export type Place = {
  instance: InstanceName;
  redisUrl: string;
  /** The path of the repository; undefined when only Redis is known, outside of a repository. */
  workspace: string | undefined;
  /** Their state at the time of the look-up; empty where only Redis is known. */
  containers: readonly ContainerPart[];
};

export const redisPort = 6379;

/** Call this for each connection: the port on this machine changes whenever the container starts again. */
export async function findPlace(shell: Shell, name: string | undefined): Promise<Place> {
  const { REDIS_URL: redisUrl, SETT_INSTANCE_NAME: configuredName } = shell.env;
  if (redisUrl !== undefined && redisUrl !== "") {
    const text = name ?? configuredName;
    if (text === undefined || text === "") {
      throw new SettError("usage", "REDIS_URL is set, but it does not name an instance.", {
        hint: "Add --name NAME, or set SETT_INSTANCE_NAME. Without REDIS_URL, sett finds the instance of this repository.",
      });
    }
    if (!/^rediss?:\/\/[^/]/.test(redisUrl) || !URL.canParse(redisUrl)) {
      throw new SettError("usage", "REDIS_URL is malformed.", { hint: "It must look like redis://:password@host:6379." });
    }
    return { instance: instanceNameOf(text), redisUrl, workspace: await workspaceRoot(shell.cwd), containers: [] };
  }
  const parts = await findInstance(await runtimeOf(shell, name), shell, name, hasContainers);
  const { instance, containers } = parts;
  return { instance, redisUrl: redisUrlOf(parts), workspace: workspaceOf(parts), containers };
}

/** The port and password of Redis on this machine, at 127.0.0.1; undefined when it does not run. */
export function redisOf(parts: InstanceParts): { port: number; password: string } | undefined {
  const redis = redisPartOf(parts);
  const published = redis?.ports.find(({ port }) => port === redisPort);
  if (redis === undefined || !isServing(redis) || published === undefined) return undefined;
  return { port: published.hostPort, password: redis.env.REDISCLI_AUTH ?? "" };
}

/** Throws `redis-unreachable` when the instance's Redis does not run. */
export function redisUrlOf(parts: InstanceParts): string {
  const address = redisOf(parts);
  if (address !== undefined) return `redis://:${encodeURIComponent(address.password)}@127.0.0.1:${address.port}`;
  const { instance } = parts;
  const redis = redisPartOf(parts);
  const state = redis === undefined ? "has no container" : `does not run (${redis.state.state})`;
  const up = `\`sett up --name ${instance}\``;
  throw new SettError("redis-unreachable", `The Redis of ${instance} ${state}.`, {
    hint:
      redis === undefined
        ? `${up} starts it again, with the kept blackboard.`
        : `${up} starts it again, with the kept blackboard. \`sett logs redis --name ${instance}\` may show why it ended.`,
  });
}

/** Whether its process runs and can be reached, healthy or not. */
export function isServing({ state }: Pick<ContainerPart, "state">): boolean {
  return state.state === "running" || state.state === "unsupervised";
}

function redisPartOf({ containers }: InstanceParts): ContainerPart | undefined {
  return containers.find((container) => container.labels.component === "redis");
}
