// Where the agent's command works: in a working copy of the workspace, where there is one to be had.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { WorkingCopy } from "../../lib/git/working-copy.ts";
import type { Settings } from "./settings.ts";

/** Undefined where no objects are mounted: an agent that has nothing to do with code. `path` is for what git itself may look up. */
export async function workingCopyOf(
  { git, agentName, workspaceDir }: Pick<Settings, "git" | "agentName" | "workspaceDir">,
  path: string | undefined,
  isFresh: boolean,
): Promise<WorkingCopy | undefined> {
  const objectsDir = join(git.dir, "objects");
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
    exchangeDir: join(git.dir, "sett/exchange.git"),
    workspaceDir,
    isFresh,
  });
}
