// Store and exchange as the folders that they are, for tests that look into them, and an agent's
// working copy above them.
import { join } from "node:path";
import { WorkingCopy, type WorkingCopyOptions } from "../../../lib/git/copy/working-copy.ts";
import { AgentFolders, type AgentFoldersOptions } from "../../../lib/git/publish/agent-folders.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { agentName as sampleName } from "./sample-repository.ts";

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

/** The objects of a repository as the store, and no instance. */
export function ownFolders({ path }: { path: string }) {
  return {
    objectsDir: join(path, ".git/objects"),
    exchangeDir: join(path, ".git/sett/exchange/demo"),
  };
}

type All = Omit<WorkingCopyOptions, "exchange"> & AgentFoldersOptions;
/** Without them: this machine's git, and the agent of `sample-repository.ts`. */
export type CopyOptions = Omit<All, "git" | "agentName"> & Partial<Pick<All, "git" | "agentName">>;

export const agentsGit = { path: "git", env: { PATH: process.env.PATH } };

export function copyIn({
  objectsDir,
  exchangeDir,
  isShared,
  isGuarded,
  maxPackBytes,
  agentName = sampleName,
  ...options
}: CopyOptions): WorkingCopy {
  const exchange = new AgentFolders({
    ...{ agentName, objectsDir, exchangeDir },
    isShared: isShared ?? false,
    isGuarded: isGuarded ?? false,
    ...withoutUndefined({ maxPackBytes }),
  });
  return new WorkingCopy({ git: agentsGit, ...options, agentName, exchange });
}
