// Keeps what the notary has signed in the person's repository, so that each clone of it has seen
// it.
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Shell } from "../terminal/shell.ts";

/** Never throws: the next command tries again. */
export async function keepCheckpoint(
  repository: Pick<HostRepository, "place" | "keepCheckpoint">,
  { instance, checkpoint }: { instance: InstanceName; checkpoint: string },
  { messages }: Pick<Shell, "messages">,
): Promise<void> {
  try {
    await repository.keepCheckpoint(instance, checkpoint);
  } catch (error) {
    const { toplevel } = repository.place;
    messages.warn(`What the notary has signed cannot be kept in ${toplevel}: ${messageOf(error)}`);
  }
}
