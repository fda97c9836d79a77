// A shell without a variable asks another Engine than the one that has the instance. A second one
// of its name would share the folders of the repository with the first: where either is removed,
// results of the other go as well.
import type { KeptId } from "../../../../lib/git/repository/kept-id.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import type { EngineInfo } from "../../../../lib/runtime/port.ts";

type Kept = Pick<KeptId, "hasBeenUp" | "readEngine">;

/**
 * It is asked of an instance of which nothing was found. Throws `instance-taken` where it was up
 * with another Engine, or with one that this runtime has none of.
 */
export async function requireSameEngine(
  instance: InstanceName,
  { identity }: Pick<EngineInfo, "identity">,
  kept: Kept,
): Promise<void> {
  const known = (await kept.hasBeenUp()) ? await kept.readEngine() : undefined;
  if (known === undefined || known === identity) return;
  const where =
    identity === undefined
      ? "a Docker Engine, where it may still be"
      : "another Docker Engine, and this one has nothing of it";
  throw new SettError("instance-taken", `${instance} was up with ${where}.`, {
    hint: `Name that one, as for its \`sett up\` (DOCKER_HOST, \`docker context use\`), or begin another instance: --name NAME. Where that Engine or its data is gone, \`git config --unset sett.${instance}.engine\` lets \`sett up\` begin anew; \`sett restore\` brings a back-up.`,
  });
}
