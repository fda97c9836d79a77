// A shell without a variable asks another Engine than the one that has the instance, or looks for
// processes elsewhere. A second one of its name would share the folders of the repository with the
// first: where either is removed, results of the other go as well.
import type { KeptId } from "../../../../lib/git/repository/kept-id.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import { folderOfProcesses } from "../../../../lib/runtime/names.ts";
import type { EngineInfo } from "../../../../lib/runtime/port.ts";
import { wayBack } from "../../render/way-back.ts";

type Kept = Pick<KeptId, "instance" | "hasBeenUp" | "readEngine">;

/**
 * It is asked of an instance of which nothing was found. Throws `instance-taken` where it was up
 * elsewhere.
 */
export async function requireSameEngine(
  { identity = "" }: Pick<EngineInfo, "identity">,
  kept: Kept,
): Promise<void> {
  const { instance } = kept;
  const known = (await kept.hasBeenUp()) ? await kept.readEngine() : undefined;
  if (known === undefined || known === identity) return;
  const message = `${instance} was up ${placeOf(known, identity)}.`;
  const way = wayBack(known);
  throw new SettError("instance-taken", message, {
    hint: `${way[0]?.toUpperCase()}${way.slice(1)}, or begin another instance: --name NAME. Where it is gone there, \`git config --unset sett.${instance}.engine\` lets \`sett up\` begin anew; \`sett restore\` brings a back-up.`,
  });
}

function placeOf(known: string, now: string): string {
  const folder = folderOfProcesses(known);
  if (folder !== undefined) return `as processes of ${folder}, where it may still be`;
  return now === "" || folderOfProcesses(now) !== undefined
    ? "with a Docker Engine, where it may still be"
    : "with another Docker Engine, and this one has nothing of it";
}
