// Makes the volumes that parts need before they start.
import type { PlannedVolume } from "../../../../lib/runtime/part-plan.ts";
import type { Tools } from "./make-part.ts";
import { settleAll } from "./settle-all.ts";

/** Returns those that did not exist. */
export async function makeOwned(
  { runtime, undoSteps }: Pick<Tools, "runtime" | "undoSteps">,
  volumes: readonly PlannedVolume[],
): Promise<PlannedVolume[]> {
  const made = await settleAll(
    volumes.map(async (volume) => {
      const isNew = (await runtime.apply.makeVolume(volume)) === "created";
      if (isNew) undoSteps.add(() => runtime.apply.removeVolume(volume.name));
      return isNew ? [volume] : [];
    }),
  );
  return made.flat();
}
