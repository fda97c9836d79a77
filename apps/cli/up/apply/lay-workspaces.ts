// The disks of agents that lie over one checkout, which is made once for all of them: no agent has
// a copy of its own, and the first goal waits for none (docs/internals/layers.md).
import { messageOf } from "../../../../lib/model/errors.ts";
import type { CommitHash, InstanceName } from "../../../../lib/model/ids.ts";
import { treeFolder } from "../../../../lib/model/layer.ts";
import type { FileCount } from "../../../../lib/model/preparing.ts";
import { makeLayer } from "../../../../lib/runtime/layer-maker.ts";
import { firstLayerMakerName, layeredWorkspaceOf } from "../../../../lib/runtime/names.ts";
import type { PlannedPart, PlannedVolume } from "../../../../lib/runtime/part-plan.ts";
import type { LayeredVolumes, VolumePart } from "../../../../lib/runtime/port.ts";
import { formatCount } from "../../../../lib/words/count.ts";
import type { Step } from "../../terminal/progress.ts";
import { requireGoing, type Tools } from "./make-part.ts";
import { settleAll } from "./settle-all.ts";

export type LayingInput = Tools & {
  instance: InstanceName;
  /** The commit with whose files agents begin. */
  commit: () => Promise<CommitHash>;
};

/** `upper`: what is written to the workspace. */
type Disk = Record<"workspace" | "layer" | "upper", PlannedVolume> & { part: PlannedPart };

/**
 * Makes the parts' disks that are missing, each over the checkout that all share. Where none can be
 * had, they are left to be made as any other volume: agents then check the files out themselves.
 * Throws `interrupted`.
 */
export async function layWorkspaces(
  input: LayingInput,
  parts: readonly PlannedPart[],
): Promise<void> {
  const disks = parts.flatMap((part) => diskOf(part) ?? []);
  if (disks.length === 0) return;
  const { volumes } = await input.runtime.observe.parts(input.instance);
  const missing = disks.filter(
    ({ workspace }) => !volumes.some(({ name }) => name === workspace.name),
  );
  if (await haveLayer(input, missing, volumes)) await lay(input, missing);
}

/** Undefined for a part whose disk begins empty. */
function diskOf(part: PlannedPart): Disk | undefined {
  const named = (name: string | undefined) => part.volumes.find((volume) => volume.name === name);
  const workspace = part.volumes.find(({ over }) => over !== undefined);
  const [layer, upper] = [named(workspace?.over?.layer), named(workspace?.over?.upper)];
  return workspace && layer && upper && { workspace, layer, upper, part };
}

/** False where there is none: it could not be made, or was not finished. */
async function haveLayer(
  input: LayingInput,
  missing: readonly Disk[],
  present: readonly VolumePart[],
): Promise<boolean> {
  const { layers } = input.runtime.workers;
  const [first] = missing;
  if (layers === undefined || first === undefined) return false;
  const { layer } = first;
  // A disk is laid over a layer that is finished, and keeps it.
  if (present.some(isLaid)) return true;
  if (present.some(({ name }) => name === layer.name)) {
    const isGone = await layers.remove(layer.name).then(
      () => true,
      () => false,
    );
    if (!isGone) return false;
  }
  return await makeFirst(input, missing, layers);
}

/** Whether it is the disk of an agent that lasts, over another one. */
function isLaid({ name, isLaid: isOver }: VolumePart): boolean {
  return isOver === true && layeredWorkspaceOf(name) === undefined;
}

const making = "making the one that all agents share";
const milestoneMs = 10_000;

/** The limit of the disk is the highest of all, because each agent minds its own. */
async function makeFirst(
  { runtime, signal, progress, undoSteps, instance, commit }: LayingInput,
  missing: readonly Disk[],
  layers: LayeredVolumes,
): Promise<boolean> {
  const [most] = missing.toSorted((a, b) => limitOf(b) - limitOf(a));
  if (most === undefined) return false;
  const { workspace, layer, part } = most;
  const step = progress.begin("checkout", making);
  try {
    await makeLayer(
      { ...runtime.workers, layers },
      {
        like: part.spec,
        image: workspace.image ?? "",
        commit: await commit(),
        volume: layer.name,
        maker: firstLayerMakerName(instance),
      },
      signal,
      countedFor(step),
    );
  } catch (error) {
    requireGoing(signal);
    step.done(`is not shared, each agent makes its own: ${messageOf(error)}`);
    return false;
  }
  undoSteps.add(() => runtime.apply.removeVolume(layer.name));
  step.done("was made once for all agents");
  return true;
}

/** Without a terminal there is a line about every ten seconds. */
function countedFor(step: Step): (count: FileCount) => void {
  let saidAt = performance.now();
  return ({ files, of }) => {
    const isMilestone = performance.now() - saidAt > milestoneMs;
    if (isMilestone) saidAt = performance.now();
    step.update(`${making}: ${formatCount(files)} of ${formatCount(of)} files`, { isMilestone });
  };
}

function limitOf({ part: { spec } }: Disk): number {
  return Number(spec.env.SETT_DISK_LIMIT ?? 0);
}

/** An Engine that cannot mount the first one can mount none. */
async function lay(
  { runtime, progress, undoSteps }: LayingInput,
  [first, ...others]: readonly Disk[],
): Promise<void> {
  const { layers } = runtime.workers;
  if (first === undefined || layers === undefined) return;
  const layOne = async ({ workspace, layer, upper }: Disk) => {
    const { owner = { uid: 0, gid: 0 }, image = "" } = workspace;
    undoSteps.add(() => runtime.apply.removeVolume(upper.name));
    await layers.makeUpper({ ...upper, owner, image });
    undoSteps.add(() => runtime.apply.removeVolume(workspace.name));
    const over = { lowers: [layer.name], folder: treeFolder, upper: upper.name };
    await layers.lay(workspace, over);
  };
  try {
    await layOne(first);
    // This mounts it.
    await runtime.apply.makeVolume(first.workspace);
  } catch (error) {
    for (const { name } of [first.workspace, first.upper, first.layer])
      await runtime.apply.removeVolume(name);
    const step = progress.begin("checkout", "is not shared");
    step.done(`is not shared, each agent makes its own: ${messageOf(error)}`);
    return;
  }
  await settleAll(others.map(layOne));
}
