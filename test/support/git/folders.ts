// Store and exchange as the folders that they are, for tests that look into them, and an agent's
// working copy above them.
import { join } from "node:path";
import { WorkingCopy, type WorkingCopyOptions } from "../../../lib/git/copy/working-copy.ts";
import { AgentFolders, type AgentFoldersOptions } from "../../../lib/git/publish/agent-folders.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";

/** Returns the folders in which an instance has them. */
export function foldersOf(
  { place: { commonDir } }: Pick<HostRepository, "place">,
  instance: InstanceName,
) {
  return {
    objectsDir: join(commonDir, "sett/objects", instance),
    exchangeDir: join(commonDir, "sett/exchange", instance),
  };
}

export type CopyOptions = Omit<WorkingCopyOptions, "exchange"> & AgentFoldersOptions;

export function copyIn({
  objectsDir,
  exchangeDir,
  isShared,
  isGuarded,
  ...options
}: CopyOptions): WorkingCopy {
  const { agentName } = options;
  const exchange = new AgentFolders({
    ...{ agentName, objectsDir, exchangeDir },
    isShared: isShared ?? false,
    isGuarded: isGuarded ?? false,
  });
  return new WorkingCopy({ ...options, exchange });
}
