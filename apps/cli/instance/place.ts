// The place of an instance: its Redis on this machine, and its repository.

import { agentOfUser, prefixOfUser, sharedPrefix } from "../../../lib/blackboard/redis/users.ts";
import type { ApiAddress } from "../../../lib/client/remote/api-client.ts";
import { apiOf, askInstance } from "../../../lib/client/remote/instance.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerPart, InstanceParts } from "../../../lib/runtime/port.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import { redisPort } from "../services/environment.ts";
import { elsewhereVariable } from "../services/redis-elsewhere.ts";
import { ownerUrlOf, type RedisAddress, urlFor } from "../services/redis-users.ts";
import type { Shell } from "../terminal/shell.ts";
import { findInstance, hasContainers, instanceNameOf } from "./find-instance.ts";
import { runtimeOf } from "./runtimes.ts";
import { workspaceOf } from "./workspace-of.ts";

/**
 * How a command reaches Redis: as the user `person`, and where it must load the functions of its
 * version, as the owner. `redisAt`: where a port only leads to.
 */
export type RedisUrls = { redisUrl: string; ownerUrl?: string; redisAt?: string | undefined };

/**
 * An instance anywhere: `SETT_API` and `SETT_API_TOKEN` name its API, `actor` is the person for
 * whom the token speaks.
 */
export type RemotePlace = { api: ApiAddress; actor: Actor };

export type Place = (RedisUrls | RemotePlace) & Known;

/** A place whose Redis can be reached. */
export type RedisPlace = RedisUrls & Known;

type Known = {
  instance: InstanceName;
  /** The path of the repository; undefined when only Redis is known, outside of a repository. */
  workspace: string | undefined;
  /** Their state at the time of the look-up; empty where only Redis is known. */
  containers: readonly ContainerPart[];
  /** As in InstanceParts. */
  removed?: readonly string[] | undefined;
};

/**
 * Call this for each connection: the port on this machine changes whenever the container starts
 * again.
 */
export async function findPlace(shell: Shell, name: string | undefined): Promise<Place> {
  const api = apiOf(shell.env);
  return api === undefined
    ? await findRedisPlace(shell, name)
    : await findRemotePlace(api, shell, name);
}

/** The same where only Redis will do. */
export async function findRedisPlace(shell: Shell, name: string | undefined): Promise<RedisPlace> {
  const { REDIS_URL: redisUrl, SETT_INSTANCE_NAME: configuredName } = shell.env;
  if (redisUrl !== undefined && redisUrl !== "") {
    const text = name ?? configuredName;
    if (text === undefined || text === "") {
      throw new SettError("usage", "REDIS_URL is set, but it does not name an instance.", {
        hint: "Add --name NAME, or set SETT_INSTANCE_NAME. Without REDIS_URL, sett finds the instance of this repository.",
      });
    }
    if (!/^rediss?:\/\/[^/]/.test(redisUrl) || !URL.canParse(redisUrl)) {
      throw new SettError("usage", "REDIS_URL is malformed.", {
        hint: "It must look like redis://:password@host:6379.",
      });
    }
    const instance = instanceNameOf(text);
    refuseAgentUrl(redisUrl);
    return {
      instance,
      redisUrl,
      workspace: await workspaceRoot(shell.cwd),
      containers: [],
    };
  }
  const parts = await findInstance(
    (await runtimeOf(shell, name)).observe,
    shell,
    name,
    hasContainers,
  );
  const { instance, containers, removed } = parts;
  return { instance, ...redisUrlsOf(parts), workspace: workspaceOf(parts), containers, removed };
}

/** Its user may do what an agent does: each command would fail at another of its steps. */
function refuseAgentUrl(redisUrl: string): void {
  const user = new URL(redisUrl).username;
  const agent = agentOfUser(user, prefixOfUser(user));
  if (agent === undefined) return;
  throw new SettError(
    "usage",
    `REDIS_URL is that of the agent ${agent}, for its program, and not for commands of people.`,
    { hint: "`unset REDIS_URL`: without it, sett finds the instance of this repository." },
  );
}

async function findRemotePlace(
  api: ApiAddress,
  shell: Shell,
  name: string | undefined,
): Promise<Place> {
  const { instance, actor } = await askInstance(api);
  if (name !== undefined && name !== instance) {
    throw new SettError(
      "instance-not-found",
      `The API at ${api.url} is that of ${instance}, not of ${name}.`,
      {
        hint: "Leave --name out, or set SETT_API to the API of that instance.",
      },
    );
  }
  return { instance, api, actor, workspace: await workspaceRoot(shell.cwd), containers: [] };
}

/** Redis on this machine; undefined when it does not run. */
export function redisOf(parts: InstanceParts): RedisAddress | undefined {
  const redis = redisPartOf(parts);
  const published = redis?.ports.find(({ port }) => port === redisPort);
  if (redis === undefined || !isServing(redis) || published === undefined) return undefined;
  const { REDISCLI_AUTH: ownerPassword = "" } = redis.env;
  const userPrefix = elsewhereIn(parts) === undefined ? "" : sharedPrefix(parts.instance);
  return { host: "127.0.0.1", port: published.hostPort, ownerPassword, userPrefix };
}

/** The URL of the Redis to which a part of the instance is only the way; no user is in it. */
export function elsewhereIn(parts: Pick<InstanceParts, "containers">): string | undefined {
  return redisPartOf(parts)?.env[elsewhereVariable];
}

/**
 * `ownerUrl`: only where the Redis is the instance's own. Throws `redis-unreachable` when it does
 * not run, or the way to it.
 */
export function redisUrlsOf(parts: InstanceParts): RedisUrls {
  const address = redisOf(parts);
  if (address !== undefined) {
    const redisUrl = urlFor(address, { role: "person" });
    const redisAt = placeBehind(parts);
    return elsewhereIn(parts) === undefined
      ? { redisUrl, ownerUrl: ownerUrlOf(address), redisAt }
      : { redisUrl, redisAt };
  }
  const { instance } = parts;
  const redis = redisPartOf(parts);
  const state =
    redis === undefined
      ? "has no container"
      : `does not run${redis.problem === undefined ? ` (${redis.state.state})` : `: ${redis.problem.sentence}`}`;
  const up = `\`sett up --name ${instance}\``;
  throw new SettError("redis-unreachable", `The Redis of ${instance} ${state}.`, {
    hint:
      redis === undefined
        ? `${up} starts it again, with the kept blackboard.`
        : `${up} starts it again, with the kept blackboard. \`sett logs redis --name ${instance}\` may show why it ended.`,
  });
}

/** Undefined where the port of this machine is Redis' own. */
function placeBehind(parts: InstanceParts): string | undefined {
  const redis = redisPartOf(parts);
  const ledBy = redis?.ports.find(({ port }) => port === redisPort)?.ledBy;
  const led = ledBy && `${redis?.name}, which is reached through ${ledBy}`;
  const elsewhere = elsewhereIn(parts);
  return elsewhere === undefined ? led : `${elsewhere}, by way of ${led ?? redis?.name}`;
}

/** For a program on this machine. Throws `usage` where only the URL of Redis is known. */
export function agentUrlOf(place: Place, agent: AgentName): string {
  const { instance, containers } = place;
  if (redisPartOf(place)?.ports.some(({ ledBy }) => ledBy !== undefined) === true) {
    const message = `The Redis of ${instance} is on the machine of the Docker Engine, and only sett itself is led there.`;
    throw new SettError("usage", message, {
      hint: "Run `sett agent-env` on that machine, with its own Docker Engine, and the agent there.",
    });
  }
  const address = redisOf({ instance, containers: [...containers], volumes: [], networks: [] });
  if (address !== undefined) return urlFor(address, { role: "agent", agent });
  throw new SettError("usage", "The users of a Redis that REDIS_URL names are not known.", {
    hint: "Without REDIS_URL, sett finds the instance of this repository.",
  });
}

/** Whether its process runs and can be reached, healthy or not. */
export function isServing({ state }: Pick<ContainerPart, "state">): boolean {
  return state.state === "running" || state.state === "unsupervised";
}

function redisPartOf({
  containers,
}: {
  containers: readonly ContainerPart[];
}): ContainerPart | undefined {
  return containers.find((container) => container.labels.component === "redis");
}
