// Where an instance is reached: its Redis on this machine, and the repository that it works for.
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
  /** The path of the repository; undefined when only Redis is known and we are in none. */
  workspace: string | undefined;
  /** As they were when it was looked up; none where only Redis is known. */
  containers: readonly ContainerPart[];
};

export const redisPort = 6379;

/** Looked up anew each time: the port on this machine changes whenever the container is started again. */
export async function findPlace(shell: Shell, name: string | undefined): Promise<Place> {
  const { REDIS_URL: redisUrl, SETT_INSTANCE_NAME: given } = shell.env;
  if (redisUrl !== undefined && redisUrl !== "") {
    const text = name ?? given;
    if (text === undefined || text === "") {
      throw new SettError("usage", "REDIS_URL names a Redis, but not which instance is meant.", {
        hint: "Add --name NAME, or set SETT_INSTANCE_NAME; without REDIS_URL the instance of this repository is looked up.",
      });
    }
    if (!/^rediss?:\/\/[^/]/.test(redisUrl) || !URL.canParse(redisUrl)) {
      throw new SettError("usage", "REDIS_URL is malformed.", { hint: "It looks like redis://:password@host:6379." });
    }
    return { instance: instanceNameOf(text), redisUrl, workspace: await workspaceRoot(shell.cwd), containers: [] };
  }
  const parts = await findInstance(await runtimeOf(shell, name), shell, name, hasContainers);
  const { instance, containers } = parts;
  return { instance, redisUrl: redisUrlOf(parts), workspace: workspaceOf(parts), containers };
}

/** How Redis is reached on this machine, at 127.0.0.1; undefined when it does not run. */
export function redisOf(parts: InstanceParts): { port: number; password: string } | undefined {
  const redis = redisPartOf(parts);
  const published = redis?.ports.find(({ port }) => port === redisPort);
  if (redis === undefined || !isServing(redis) || published === undefined) return undefined;
  return { port: published.hostPort, password: redis.env.REDISCLI_AUTH ?? "" };
}

/** Throws `redis-unreachable` when the instance's Redis does not run. */
export function redisUrlOf(parts: InstanceParts): string {
  const reached = redisOf(parts);
  if (reached !== undefined) return `redis://:${encodeURIComponent(reached.password)}@127.0.0.1:${reached.port}`;
  const { instance } = parts;
  const redis = redisPartOf(parts);
  const state = redis === undefined ? "is gone" : `does not run (${redis.state.state})`;
  const up = `\`sett up --name ${instance}\``;
  throw new SettError("redis-unreachable", `The Redis of ${instance} ${state}.`, {
    hint:
      redis === undefined
        ? `${up} starts it anew with all that is recorded.`
        : `${up} starts it again with all that is recorded; \`sett logs redis --name ${instance}\` may show why it ended.`,
  });
}

/** Whether others can speak with it, however well it is. */
export function isServing({ state }: ContainerPart): boolean {
  return state.state === "running" || state.state === "unsupervised";
}

function redisPartOf({ containers }: InstanceParts): ContainerPart | undefined {
  return containers.find((container) => container.labels.component === "redis");
}
