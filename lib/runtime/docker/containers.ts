// The life of one container: started, stopped, removed.
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import type { ContainerSpec } from "../container-spec.ts";
import { containerOptions } from "./container-options.ts";
import { ask, askIfThere, explain, statusOf } from "./errors.ts";

const removalPollMs = 50;

export async function startContainer(docker: Docker, spec: ContainerSpec): Promise<{ id: string }> {
  const container = await create(docker, spec);
  try {
    await container.start();
  } catch (error) {
    await removeContainer(docker, container.id);
    throw explain(error, `start the container ${spec.name}`);
  }
  return { id: container.id };
}

async function create(docker: Docker, spec: ContainerSpec): Promise<Docker.Container> {
  try {
    return await docker.createContainer(containerOptions(spec));
  } catch (error) {
    if (statusOf(error) !== 409) throw explain(error, `create the container ${spec.name}`);
    throw new SettError("instance-taken", `There is a container named ${spec.name} already.`, {
      hint: "`sett list` shows what is running; `sett down` removes what a Sett left behind.",
      cause: error,
    });
  }
}

export async function stopContainer(docker: Docker, container: string, timeoutSeconds: number): Promise<void> {
  await askIfThere(`stop the container ${container}`, async () => {
    try {
      await docker.getContainer(container).stop({ t: timeoutSeconds });
    } catch (error) {
      if (statusOf(error) !== 304) throw error; // 304: it has stopped already.
    }
  });
}

export async function removeContainer(docker: Docker, container: string): Promise<void> {
  await askIfThere(`remove the container ${container}`, async () => {
    try {
      await docker.getContainer(container).remove({ force: true, v: true });
    } catch (error) {
      if (statusOf(error) !== 409) throw error;
      // 409: somebody else is removing it. It counts as removed when it is gone.
      await waitUntilGone(docker, container);
    }
  });
}

async function waitUntilGone(docker: Docker, container: string): Promise<void> {
  for (;;) {
    const info = await askIfThere(`look for the container ${container}`, () => docker.getContainer(container).inspect());
    if (info === undefined) return;
    if (info.State.Status !== "removing") {
      await ask(`remove the container ${container}`, () => docker.getContainer(container).remove({ force: true, v: true }));
      return;
    }
    await sleep(removalPollMs);
  }
}
