// Finds the socket of this machine's Docker Engine, for the starter of workers and the reader of
// logs.
import { stat } from "node:fs/promises";
import { needsWorkers } from "../../../../lib/model/agent.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { clauseOf, messageOf, SettError } from "../../../../lib/model/errors.ts";
import { findEngine, usualSocket } from "../../../../lib/runtime/docker/find-engine.ts";
import type { EngineSocket } from "../../../../lib/runtime/docker/translate.ts";
import { showsLogs } from "../../services/log-reader.ts";

/** As containers of a rootless Engine see the user who runs it, and whose its socket is. */
const ownUser = { uid: 0, gid: 0 };

/** The owner of the usual socket of an Engine elsewhere; its group is not known here. */
const rootThere = { uid: 0, gid: 0 };

/** `isNear`: containers can have folders of this machine. */
type Finding = {
  env: Readonly<Record<string, string | undefined>>;
  isRootless: boolean;
  isNear: boolean;
};

/**
 * Finds it where the configuration needs it. Workers do; without it the API only gives no logs,
 * which is said. Throws as `findEngineSocket`, for workers.
 */
export async function engineSocketFor(
  config: Pick<SettConfig, "agents" | "services">,
  finding: Finding,
  warn: (sentence: string) => void,
): Promise<EngineSocket | undefined> {
  if (config.agents.some(needsWorkers)) return await findEngineSocket(finding);
  if (!showsLogs(config)) return undefined;
  try {
    return await findEngineSocket(finding);
  } catch (error) {
    warn(`The API gives no logs of agents. ${messageOf(error)}`);
    return undefined;
  }
}

/**
 * SETT_STARTER_SOCKET: another one than that of `sett up`, such as a proxy's. Throws
 * `docker-unreachable` where there is no socket that a container could use.
 */
export async function findEngineSocket({
  env,
  isRootless,
  isNear,
}: Finding): Promise<EngineSocket> {
  const { SETT_STARTER_SOCKET: own = "" } = env;
  if (!isNear) return { path: own || usualSocket, ...rootThere };
  const hint =
    "Agents with `replicas` or `strategy: fresh_per_call` need it: their workers are started through it.";
  const address = await findEngine(own === "" ? env : { ...env, DOCKER_HOST: `unix://${own}` });
  if (address.kind !== "socket") {
    throw new SettError(
      "docker-unreachable",
      `The Docker Engine is reached by ${address.host}, which is not a socket of this machine.`,
      {
        hint,
      },
    );
  }
  // Such an Engine runs in a machine of its own: mounts are of that machine, where its socket is
  // the usual one, and root's. But a rootless one of this machine may listen in such a folder, too.
  if (address.isForwarded && !isRootless) return { path: usualSocket, gid: 0 };
  const { path } = address;
  try {
    const { gid } = await stat(path);
    return isRootless ? { path, ...ownUser } : { path, gid };
  } catch (cause) {
    throw new SettError(
      "docker-unreachable",
      `The Docker Engine's socket ${path} cannot be used: ${clauseOf(cause)}.`,
      {
        hint,
        cause,
      },
    );
  }
}
