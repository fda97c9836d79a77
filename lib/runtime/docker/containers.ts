// The life of one container: started, stopped, removed.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { joined } from "../../model/one-error.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec } from "../container-spec.ts";
import { madeLabel } from "../labels.ts";
import { containerOptions } from "./container-options.ts";
import { ask, askIfThere, explain, statusOf } from "./errors.ts";
import { afterLostContainer, left } from "./lost-answers.ts";
import { joinNetwork } from "./networks.ts";

const removalPollMs = 50;
const removalPatienceMs = 60_000;

/** `networkOf`: another container, whose network it has instead of its own. */
type Around = { networkOf?: string };

/** `logs`: what is kept of what it prints. */
export async function startContainer(
  docker: Docker,
  spec: ContainerSpec,
  logs: Docker.HostConfig["LogConfig"],
  { networkOf }: Around = {},
): Promise<{ id: string }> {
  const container = await create(docker, spec, { logs, networkOf });
  try {
    const isOwn = networkOf === undefined;
    // An Engine may know only one network when a container is created.
    if (isOwn && typeof spec.network === "object" && spec.network.also !== undefined)
      await joinNetwork(docker, spec.network.also, container.id);
    await container.start();
  } catch (error) {
    const { name } = spec;
    const failure = explain(error, `start the container ${name}`);
    await removeSpent(docker, { id: container.id, name }).catch((stays: unknown) => {
      throw joined(failure, stays);
    });
    throw failure;
  }
  return { id: container.id };
}

async function create(
  docker: Docker,
  spec: ContainerSpec,
  { logs, networkOf }: { logs: Docker.HostConfig["LogConfig"]; networkOf: string | undefined },
): Promise<Docker.Container> {
  const options = containerOptions(spec, networkOf);
  const HostConfig = { ...options.HostConfig, ...withoutUndefined({ LogConfig: logs }) };
  const made = randomUUID();
  const { name } = spec;
  const doing = `create the container ${name}`;
  return await named(name, doing, () =>
    docker
      .createContainer({ ...options, HostConfig, Labels: { ...options.Labels, [madeLabel]: made } })
      .catch(async (why: unknown) => {
        if (statusOf(why) === 409) throw why;
        throw await afterLostContainer(docker, { why, doing, name, made });
      }),
  );
}

export async function startContainerAgain(docker: Docker, container: string): Promise<void> {
  await ask(`start the container ${container} again`, () =>
    unlessAlready(() => docker.getContainer(container).start()),
  );
}

export async function renameContainer(
  docker: Docker,
  container: string,
  name: string,
): Promise<void> {
  await named(name, `rename the container ${container}`, () =>
    docker.getContainer(container).rename({ name }),
  );
}

/** Runs a request that names a container, and explains a name that is in use. */
async function named<Result>(
  name: string,
  doing: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (statusOf(error) !== 409) throw explain(error, doing);
    throw nameTaken(name, error);
  }
}

export function nameTaken(name: string, cause?: unknown): SettError {
  return new SettError("instance-taken", `There is a container named ${name} already.`, {
    hint: "`sett list` shows the instances; `sett down` removes the parts of one.",
    cause,
  });
}

export async function stopContainer(
  docker: Docker,
  container: string,
  timeoutSeconds: number,
): Promise<void> {
  await askIfThere(`stop the container ${container}`, () =>
    unlessAlready(() => docker.getContainer(container).stop({ t: timeoutSeconds })),
  );
}

/** The Engine answers 304 when the container runs, or has stopped, already. */
async function unlessAlready(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (statusOf(error) !== 304) throw error;
  }
}

export async function removeContainer(
  docker: Docker,
  container: string,
  signal?: AbortSignal,
): Promise<void> {
  await askIfThere(`remove the container ${container}`, async () => {
    try {
      await docker
        .getContainer(container)
        .remove({ force: true, v: true, ...withoutUndefined({ abortSignal: signal }) });
    } catch (error) {
      if (statusOf(error) !== 409) throw error;
      // 409: another caller is removing it. It counts as removed when it no longer exists.
      await waitUntilGone(docker, container);
    }
  });
}

/**
 * Removes a container that only this process knows, and that no later step would remove: an Engine
 * that refuses once, or does not answer, is asked once more. Throws that it stays.
 */
export async function removeSpent(
  docker: Docker,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const remove = () => removeContainer(docker, id);
  await remove()
    .catch(remove)
    .catch((because: unknown) => {
      throw left({ sort: "container", name }, because);
    });
}

async function waitUntilGone(docker: Docker, container: string): Promise<void> {
  const deadline = Date.now() + removalPatienceMs;
  for (;;) {
    const info = await askIfThere(`look for the container ${container}`, () =>
      docker.getContainer(container).inspect(),
    );
    if (info === undefined) return;
    if (info.State.Status !== "removing") {
      await ask(`remove the container ${container}`, () =>
        docker.getContainer(container).remove({ force: true, v: true }),
      );
      return;
    }
    if (Date.now() >= deadline) {
      throw new SettError(
        "docker-failed",
        `Docker has been removing the container ${container} for ${removalPatienceMs / 1_000} s.`,
        {
          hint: `Its files may be in use. Try \`docker rm --force ${container}\`, or restart the Engine.`,
        },
      );
    }
    await sleep(removalPollMs);
  }
}
