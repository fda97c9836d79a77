// Puts the id of the instance into the repository's configuration, where it outlives the volumes.
import type { HostRepository } from "../../../lib/git/host-repository.ts";
import { KeptId } from "../../../lib/git/kept-id.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Shell } from "../terminal/shell.ts";
import type { UndoSteps } from "./undo.ts";

/** Without it the labels of the parts still say whose they are. */
export async function keepId(
  repository: HostRepository,
  { instance, id, undoSteps }: { instance: InstanceName; id: string; undoSteps: UndoSteps },
  shell: Shell,
): Promise<void> {
  const kept = new KeptId(repository.place, instance, shell.env);
  try {
    await kept.write(id);
    undoSteps.add(() => kept.remove());
  } catch (error) {
    shell.messages.warn(`The id of ${instance} is not in the repository's configuration: ${messageOf(error)}`);
  }
}
