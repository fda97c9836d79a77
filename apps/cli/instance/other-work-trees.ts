// The instances that another work tree of the same repository has.
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { workspaceOf } from "./workspace-of.ts";

/** Lists those of `all` that the repository at `workspace` has. `env`: all of git's environment. */
export async function inOtherWorkTrees(
  all: readonly InstanceParts[],
  workspace: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<InstanceParts[]> {
  const folderOf = async (path: string) => {
    const open = HostRepository.open(path, { env, mayBeEmpty: true });
    return await open.then(({ place }) => place.commonDir).catch(() => undefined);
  };
  const own = await folderOf(workspace);
  if (own === undefined) return [];
  const folders = await Promise.all(all.map((parts) => folderOf(workspaceOf(parts))));
  return all.filter((_, at) => folders[at] === own);
}
