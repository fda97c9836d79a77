// Brings the commits that agents have published into the user's repository.

import type { ImportedRefs } from "../../lib/git/import-exchange.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { Shell } from "./shell.ts";

/** Never throws: what cannot be fetched now is said, and fetched next time. `imported` counts commits that are new here. */
export async function fetchResults(shell: Shell, workspace: string | undefined): Promise<{ imported: number }> {
  if (workspace === undefined || workspace === "") return { imported: 0 };
  try {
    const { HostRepository } = await import("../../lib/git/host-repository.ts");
    const { imported, broken } = await (await HostRepository.open(workspace, { env: shell.env })).fetchExchange();
    for (const each of broken) shell.messages.warn(brokenSentence(each));
    return { imported: imported.length };
  } catch (error) {
    shell.messages.warn(`The commits of agents cannot be fetched into ${workspace}: ${messageOf(error)}`);
    return { imported: 0 };
  }
}

function brokenSentence({ ref, commit, reason }: ImportedRefs["broken"][number]): string {
  return `The commit ${commit.slice(0, 12)} of ${ref} cannot be fetched: ${reason}`;
}
