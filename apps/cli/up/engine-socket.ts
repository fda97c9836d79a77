// Finds the socket of this machine's Docker Engine, for an orchestrator that starts workers.
import { stat } from "node:fs/promises";
import { messageOf, SettError } from "../../../lib/model/errors.ts";

/** The path of the socket, and the group that may use it. */
export type EngineSocket = { path: string; gid: number };

/** The path of the socket inside a container. */
export const usualSocket = "/var/run/docker.sock";

/** Throws `docker-unreachable` where there is no socket that a container could use. */
export async function findEngineSocket(env: Readonly<Record<string, string | undefined>>): Promise<EngineSocket> {
  const host = env.DOCKER_HOST ?? "";
  const path = host === "" ? usualSocket : host.startsWith("unix://") ? host.slice("unix://".length) : undefined;
  const hint = "Agents with `replicas` or `strategy: fresh_per_call` need it: the orchestrator starts their workers through it.";
  if (path === undefined) {
    throw new SettError("docker-unreachable", `The Docker Engine is reached by ${host}, which is not a socket of this machine.`, {
      hint,
    });
  }
  try {
    const { gid } = await stat(path);
    return { path, gid };
  } catch (cause) {
    throw new SettError("docker-unreachable", `The Docker Engine's socket ${path} cannot be used: ${messageOf(cause)}.`, {
      hint,
      cause,
    });
  }
}
