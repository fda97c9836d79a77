// Puts the id of the instance into the repository's configuration, where it outlives the volumes.
import type { KeptId } from "../../../../lib/git/repository/kept-id.ts";
import { messageOf } from "../../../../lib/model/errors.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import type { Shell } from "../../terminal/shell.ts";

/** Without it the labels of the parts still say whose they are. */
export async function keepId(
  kept: KeptId,
  { instance, id }: { instance: InstanceName; id: string },
  { messages }: Pick<Shell, "messages">,
): Promise<void> {
  await kept.write(id).catch((error: unknown) => {
    messages.warn(
      `The id of ${instance} is not in the repository's configuration: ${messageOf(error)}`,
    );
  });
}
