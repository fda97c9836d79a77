// Removes the exchange unless another instance leaves its results in there too.
import type { HostRepository as Repository } from "../../../lib/git/host-repository.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerRuntime, InstanceParts } from "../../../lib/runtime/port.ts";
import { withLock } from "../../../lib/runtime/process/file-lock.ts";
import type { Shell } from "../terminal/shell.ts";
import { hasAnything, workspaceOf } from "./find-instance.ts";

/**
 * The exchange lies in the git folder that all worktrees of a repository have in common, so that instances of several workspaces
 * may share it. An instance that is down, but has kept its blackboard, counts too.
 */
export async function leaveExchange(
  runtime: Pick<ContainerRuntime, "instances">,
  instance: InstanceName,
  repository: Repository,
  shell: Pick<Shell, "env" | "messages">,
): Promise<void> {
  // A start takes its name under the same lock before it looks for the exchange: it is seen here, or makes an exchange of its own.
  await withLock(repository.lockFile, new AbortController().signal, async () => {
    const others = (await runtime.instances()).filter((parts) => parts.instance !== instance && hasAnything(parts));
    for (const other of others) if (await mayShare(other, repository, shell)) return;
    await repository.removeExchange();
  });
}

async function mayShare(parts: InstanceParts, { exchangeDir }: Repository, { env, messages }: Pick<Shell, "env" | "messages">) {
  const { HostRepository } = await import("../../../lib/git/host-repository.ts");
  // Leftovers of which nothing says whose they were.
  if (workspaceOf(parts) === "") return false;
  try {
    return (await HostRepository.open(workspaceOf(parts), { env })).exchangeDir === exchangeDir;
  } catch {
    // Its folder was moved or removed. Without containers it has handed in its results; agents that run may have more.
    if (parts.containers.length === 0) return false;
    messages.warn(`${exchangeDir} is kept: whether ${parts.instance}, of ${workspaceOf(parts)}, uses it cannot be seen.`);
    return true;
  }
}
