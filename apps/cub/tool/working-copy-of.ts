// The working copy in which the agent's command works, where the repository's objects are mounted.
import process from "node:process";
import { readKept } from "../../../lib/git/copy/kept-checkout.ts";
import { readLayer } from "../../../lib/git/copy/layer.ts";
import { SparsePaths } from "../../../lib/git/copy/sparse-paths.ts";
import { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import type { AgentExchange } from "../../../lib/git/exchange/port.ts";
import { AgentPacks, type AgentPacksOptions } from "../../../lib/git/packs/agent-packs.ts";
import { AgentFolders } from "../../../lib/git/publish/agent-folders.ts";
import { ownLibraries } from "../../../lib/git/run/own-libraries.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import type { PreparedWorkspace } from "../../../lib/model/prepare.ts";

/**
 * A machine that starts again, or a cluster that replaces a node with its disk, takes longer than
 * work should fail for: a quarter of an hour.
 */
const packsAwayMs = 15 * 60_000;

type Place = {
  agentName: AgentName;
  workspaceDir: string;
  layerDir: string | undefined;
  /** Seals what is kept of a checkout; undefined where nothing is, as for a workspace that goes. */
  keptBy: Uint8Array | undefined;
  /** Its container was made for this attempt. */
  grantAttempt: number | undefined;
  keepsIgnored: boolean;
  prepared: PreparedWorkspace | undefined;
  /** Undefined: all files. */
  paths: readonly string[] | undefined;
  /** The place of the service of packs; undefined where the host's folders are there. */
  packs?: Omit<AgentPacksOptions, "agentName"> | undefined;
  git: {
    binary: string;
    libraryPath: string | undefined;
    objectsDir: string;
    exchangeDir: string;
  };
};

/**
 * Undefined where the host shows nothing: the agent then has nothing to do with code. `path`: the
 * PATH of the git process. `isShared`: other containers of the agent publish as well.
 */
export async function workingCopyOf(
  place: Place,
  path: string | undefined,
  isShared: boolean,
): Promise<WorkingCopy | undefined> {
  const { git, agentName, workspaceDir, layerDir, keptBy, keepsIgnored, prepared, paths } = place;
  const { binary, libraryPath } = git;
  const exchange = await exchangeOf(place, isShared);
  if (exchange === undefined) return undefined;
  const env = { PATH: path, ...ownLibraries(libraryPath) };
  const sparse = paths && new SparsePaths(paths);
  const kept = keptBy && (await readKept(workspaceDir, keptBy));
  return new WorkingCopy({
    git: { path: binary, env },
    ...{ agentName, exchange, workspaceDir, keepsIgnored, prepared, sparse, keptBy, kept },
    layer: layerDir === undefined ? undefined : await readLayer(layerDir),
    // A container that lasts may have started again, after a command was in its workspace.
    isUsed: kept !== undefined || place.grantAttempt === undefined,
  });
}

async function exchangeOf(
  { agentName, packs, git: { objectsDir, exchangeDir } }: Place,
  isShared: boolean,
): Promise<AgentExchange | undefined> {
  if (packs !== undefined) return new AgentPacks({ agentName, patienceMs: packsAwayMs, ...packs });
  // Outside of a container nothing keeps a command from the cub's open files.
  const isGuarded = process.pid === 1;
  return await AgentFolders.open({ agentName, objectsDir, exchangeDir, isShared, isGuarded });
}
