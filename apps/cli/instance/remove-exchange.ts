// Removes the exchange, unless another instance uses it too.
import type { HostRepository as Repository } from "../../../lib/git/host-repository.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerRuntime, InstanceParts } from "../../../lib/runtime/port.ts";
import { withLock } from "../../../lib/runtime/process/file-lock.ts";
import type { Shell } from "../terminal/shell.ts";
import { hasAnything, workspaceOf } from "./find-instance.ts";

/**
 * All worktrees of a repository share one git folder, and so their instances share the exchange in it. An instance that is down, with its
 * blackboard kept, counts too.
 */
export async function leaveExchange(
  runtime: Pick<ContainerRuntime, "instances">,
  instance: InstanceName,
  repository: Repository,
  shell: Pick<Shell, "env" | "messages">,
): Promise<void> {
  // `sett up` reserves its name under the same lock before it looks for the exchange. So it is seen here, or it makes a new exchange.
  await withLock(repository.lockFile, new AbortController().signal, async () => {
    const others = (await runtime.instances()).filter((parts) => parts.instance !== instance && hasAnything(parts));
    for (const other of others) if (await mayShare(other, repository, shell)) return;
    await repository.removeExchange();
  });
}

async function mayShare(parts: InstanceParts, { exchangeDir }: Repository, { env, messages }: Pick<Shell, "env" | "messages">) {
  const { HostRepository } = await import("../../../lib/git/host-repository.ts");
  // Leftovers without labels belong to no repository.
  if (workspaceOf(parts) === "") return false;
  try {
    return (await HostRepository.open(workspaceOf(parts), { env })).exchangeDir === exchangeDir;
  } catch {
    // Its folder was moved or removed. Without containers its results are fetched; running agents may publish more.
    if (parts.containers.length === 0) return false;
    messages.warn(`${exchangeDir} is kept, because ${parts.instance}, of ${workspaceOf(parts)}, may use it.`);
    return true;
  }
}
