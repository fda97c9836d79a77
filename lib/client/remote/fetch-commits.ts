// Brings the commits of an instance elsewhere into the repository of this machine, through its API.

import type { DeliveredCommit } from "../../blackboard/port/artefacts.ts";
import type { HostRepository } from "../../git/repository/host-repository.ts";
import type { ImportedCommits } from "../../git/repository/import-commits.ts";
import type { InstanceName } from "../../model/ids.ts";
import { type ApiAddress, askApi, longPatienceMs } from "./api-client.ts";

/**
 * Only those that are not there yet. Each comes as a pack, and is checked like one that an agent
 * has left. Throws as `askApi`.
 */
export async function fetchRemoteCommits(
  api: ApiAddress,
  repository: HostRepository,
  { instance, commits }: { instance: InstanceName; commits: readonly DeliveredCommit[] },
): Promise<ImportedCommits> {
  const known = await repository.knownResults(instance);
  const missing = commits.filter(({ artefact }) => !known.has(artefact));
  return await repository.importPacks(instance, missing, async (artefact) => {
    const path = `/v1/artefacts/${artefact}/commit.pack`;
    const response = await askApi(api, {
      path,
      accept: "application/octet-stream",
      patienceMs: longPatienceMs,
    });
    return new Uint8Array(await response.arrayBuffer());
  });
}
