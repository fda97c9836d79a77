// Workers with services beside them. The first service has the network of the worker, and all
// others are in it: nothing else reaches them, and each is `localhost` to the others.
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, SidecarSpec } from "../container-spec.ts";
import { componentLabel, instanceLabel, labelsFor } from "../labels.ts";
import { isSidecarOf, sidecarName } from "../names.ts";
import type { Workers } from "../port.ts";
import { nameTaken, removeContainer, startContainer } from "./containers.ts";
import { ask } from "./errors.ts";
import { execInContainer } from "./exec.ts";
import { findContainer } from "./inspect-parts.ts";
import { logLines } from "./logs.ts";

type Logs = Docker.HostConfig["LogConfig"];

const readyPollMs = 100;

/** How workers are started and removed. `logs`: what is kept of what each prints. */
export function withSidecars(
  docker: Docker,
  logs: () => Promise<Logs>,
): Pick<Workers, "start" | "remove"> {
  return {
    start: async (spec) => await startBeside(docker, spec, await logs()),
    remove: async (container) => await removeBeside(docker, container),
  };
}

/**
 * As `startContainer`, once all services beside it are ready. Throws `not-ready` where one of them
 * never is.
 */
async function startBeside(
  docker: Docker,
  spec: ContainerSpec,
  logs: Logs,
): Promise<{ id: string }> {
  const { sidecars = [] } = spec;
  const [first] = sidecars;
  if (first === undefined) return await startContainer(docker, spec, logs);
  // The services of a worker that is there are at work.
  if ((await findContainer(docker, spec.name)) !== undefined) throw nameTaken(spec.name);
  // A start that was cut has left some, for which there is no worker.
  await removeSidecars(docker, spec);
  const network = sidecarName(spec.name, first.name);
  try {
    for (const sidecar of sidecars) {
      const around = sidecar === first ? {} : { networkOf: network };
      await startContainer(docker, sidecarContainer(spec, sidecar), logs, around);
      await untilReady(docker, spec.name, sidecar);
    }
    return await startContainer(docker, spec, logs, { networkOf: network });
  } catch (error) {
    // The next start removes what stays, or the starter when no worker is beside them.
    await removeSidecars(docker, spec).catch(() => undefined);
    throw error;
  }
}

/** A worker, and the services beside it. */
async function removeBeside(docker: Docker, container: string): Promise<void> {
  const found = await findContainer(docker, container);
  await removeContainer(docker, container);
  if (found?.sharesNetworkOf !== undefined) await removeSidecars(docker, found);
}

async function removeSidecars(
  docker: Docker,
  { name, labels: { instance } }: Pick<ContainerSpec, "name" | "labels">,
): Promise<void> {
  const all = await ask("list services beside agents", () =>
    docker.listContainers({
      all: true,
      filters: { label: [`${instanceLabel}=${instance}`, `${componentLabel}=sidecar`] },
    }),
  );
  const own = all.filter(({ Names }) =>
    Names.some((one) => isSidecarOf(one.replace(/^\//, ""), name)),
  );
  await Promise.all(own.map(({ Id }) => removeContainer(docker, Id)));
}

/** It is as confined as the worker, and has nothing of the worker's but the network. */
function sidecarContainer(worker: ContainerSpec, sidecar: SidecarSpec): ContainerSpec {
  const { labels, network, hostAlias, systemCalls, stopTimeoutSeconds } = worker;
  if (labels.component !== "worker") throw new Error(`${worker.name} is no worker.`);
  const { name, ready: _, readyMs: __, ...own } = sidecar;
  return {
    ...own,
    name: sidecarName(worker.name, name),
    labels: labelsFor(labels, { component: "sidecar", agent: labels.agent }),
    mounts: [],
    capabilities: "none",
    healthcheck: "none",
    restart: "no",
    ...withoutUndefined({ network, hostAlias, systemCalls, stopTimeoutSeconds }),
  };
}

async function untilReady(
  docker: Docker,
  worker: string,
  { name, ready, readyMs }: SidecarSpec,
): Promise<void> {
  const container = sidecarName(worker, name);
  const startedAt = performance.now();
  for (;;) {
    const isReady =
      ready === undefined || (await says(docker, container, ready, startedAt + readyMs));
    // A service that has ended at once was never ready, whatever it has said.
    const state = (await findContainer(docker, container))?.state;
    if (state?.state !== "running") {
      const code = state?.state === "exited" ? `, with exit code ${state.exitCode}` : "";
      throw await unready(docker, container, `The service \`${name}\` has ended${code}.`);
    }
    if (isReady) return;
    if (performance.now() - startedAt >= readyMs)
      throw await unready(
        docker,
        container,
        `The service \`${name}\` was not ready within ${readyMs / 1_000} s.`,
      );
    await sleep(readyPollMs);
  }
}

/** A command that hangs is no answer either. */
async function says(
  docker: Docker,
  container: string,
  command: string[],
  untilMs: number,
): Promise<boolean> {
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(untilMs - performance.now())));
  try {
    return (await execInContainer(docker, container, command, { signal })).exitCode === 0;
  } catch {
    // Its container has ended, the program is not there, or the time is over.
    return false;
  }
}

const shownLines = 3;

async function unready(docker: Docker, container: string, sentence: string): Promise<SettError> {
  const lines: string[] = [];
  try {
    for await (const { line } of logLines(docker, container, { tail: shownLines }))
      if (line.trim() !== "") lines.push(line);
  } catch {
    // The sentence has what it has printed where that can be read.
  }
  const said =
    lines.length === 0 ? "It has printed nothing." : `It has printed: ${lines.join(" / ")}`;
  return new SettError("not-ready", `${sentence} ${said}`);
}
