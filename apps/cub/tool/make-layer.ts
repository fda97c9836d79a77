// Makes the checkout that workers begin with: `cub --make-layer COMMIT`, in a container of its own,
// which sees what goals reach and nothing of any agent.
import { join } from "node:path";
import process from "node:process";
import { writeLayer } from "../../../lib/git/copy/layer.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { AgentName, CommitHash } from "../../../lib/model/ids.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import type { FileCount } from "../../../lib/model/preparing.ts";
import { DiskWatch } from "../container/disk-watch.ts";
import { workingCopyOf } from "./working-copy-of.ts";

type LayerSettings = {
  git: { binary: string; libraryPath: string | undefined };
  objectsDir: string;
  layerDir: string;
  diskBytes: number;
  paths: readonly string[] | undefined;
};

/** No agent publishes from here, so that this name is nowhere on record. */
const maker = AgentName.parse("layer");
const saidEachMs = 1_000;

/**
 * Throws git-failed, also for a commit of which the store does not have all, or that takes more
 * than the limit of the disk.
 */
export async function makeLayer(
  args: readonly string[],
  { git, objectsDir, layerDir: folder, diskBytes: maxBytes, paths }: LayerSettings,
  path: string | undefined,
): Promise<void> {
  const commit = CommitHash.safeParse(args[0]);
  if (!commit.success || args.length !== 1)
    throw new SettError("usage", "--make-layer takes one commit.");
  const workspaceDir = join(folder, treeFolder);
  const copy = await workingCopyOf(
    {
      ...{
        agentName: maker,
        workspaceDir,
        layerDir: undefined,
        keptBy: undefined,
        keepsIgnored: false,
        paths,
      },
      grantAttempt: undefined,
      prepared: undefined,
      // A layer has nothing that an agent has published.
      git: { ...git, objectsDir, exchangeDir: "/nonexistent" },
    },
    path,
    false,
  );
  if (copy === undefined)
    throw new SettError("git-failed", `There are no objects in ${objectsDir}.`);
  const tooMuch = new AbortController();
  const watch = new DiskWatch({ bytes: maxBytes, folders: [{ path: folder, name: "the layer" }] });
  {
    using _ = watch.start((reason) => tooMuch.abort(new SettError("git-failed", reason)));
    const { signal } = tooMuch;
    await copy.prepare(commit.data, [], { maxBytes, signal, onProgress: sayProgress() });
  }
  await writeLayer(folder, await copy.leaveLayer());
  process.stdout.write(`${commit.data}\n`);
}

/** Writes a line a second, which `lib/runtime/layer-maker.ts` reads for `sett up`. */
function sayProgress(): (count: FileCount) => void {
  let saidAt = performance.now();
  return (count) => {
    if (performance.now() - saidAt < saidEachMs) return;
    saidAt = performance.now();
    process.stdout.write(`${JSON.stringify(count)}\n`);
  };
}
