// Makes volumes for the users that write to them.

import type { OwnedVolume } from "../plan/plan-input.ts";
import type { Tools } from "./make-part.ts";
import { settleAll } from "./settle-all.ts";

/** Returns the names of those that did not exist. */
export async function makeOwned(
  { runtime, undoSteps }: Pick<Tools, "runtime" | "undoSteps">,
  volumes: readonly OwnedVolume[],
): Promise<string[]> {
  const made = await settleAll(
    volumes.map(async ({ name, labels, owner, image, memoryBytes }) => {
      const memory = memoryBytes === undefined ? undefined : { owner, sizeBytes: memoryBytes };
      const isNew = (await runtime.volumes.create(name, labels, memory)) === "created";
      if (isNew) undoSteps.add(() => runtime.volumes.remove(name));
      if (memory !== undefined) return isNew ? [name] : [];
      // Also for an existing volume: the process that created it may have been killed before this
      // step.
      await runtime.volumes.prepare(name, owner, image);
      return isNew ? [name] : [];
    }),
  );
  return made.flat();
}
