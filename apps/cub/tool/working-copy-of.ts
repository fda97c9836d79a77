// The working copy in which the agent's command works, where the repository's objects are mounted.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import { PublishedPacks } from "../../../lib/git/publish/pack-guard.ts";
import type { Settings } from "../settings.ts";

/** Undefined outside of a container. */
export function publishedPacks({ git, agentName }: Pick<Settings, "git" | "agentName">) {
  return process.pid !== 1
    ? undefined
    : new PublishedPacks(join(git.exchangeDir, agentName), git.objectsDir);
}

/**
 * Undefined where no objects are mounted: the agent then has nothing to do with code. `path`: the
 * PATH of the git process.
 */
export async function workingCopyOf(
  {
    git,
    agentName,
    workspaceDir,
    keepsIgnored,
  }: Pick<Settings, "git" | "agentName" | "workspaceDir" | "keepsIgnored">,
  path: string | undefined,
  isFolderShared: boolean,
): Promise<WorkingCopy | undefined> {
  const { objectsDir, exchangeDir } = git;
  const hasObjects = await stat(objectsDir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!hasObjects) return undefined;
  const env = { PATH: path, LD_LIBRARY_PATH: git.libraryPath };
  return new WorkingCopy({
    git: { path: git.binary, env },
    agentName,
    objectsDir,
    exchangeDir,
    workspaceDir,
    keepsIgnored,
    isFolderShared,
  });
}
