// Brings the commits of an instance elsewhere into the repository of this machine, through its API.

import type { DeliveredCommit } from "../../blackboard/port/artefacts.ts";
import type { HostRepository } from "../../git/repository/host-repository.ts";
import type { ImportedCommits } from "../../git/repository/import-commits.ts";
import { settRef } from "../../git/repository/refs.ts";
import type { InstanceName } from "../../model/ids.ts";
import { type ApiAddress, askApi, longPatienceMs } from "./api-client.ts";

/**
 * Only those that are not there yet. Each comes as a pack, and is checked like one that an agent
 * has left. Where this repository lacks the commit at which a goal began, since another person has
 * brought that from elsewhere, the result comes with it. Throws as `askApi`.
 */
export async function fetchRemoteCommits(
  api: ApiAddress,
  repository: HostRepository,
  { instance, commits }: { instance: InstanceName; commits: readonly DeliveredCommit[] },
): Promise<ImportedCommits> {
  const known = await repository.knownResults(instance);
  const missing = commits.filter(({ artefact }) => !known.has(artefact));
  const take = (wanted: readonly DeliveredCommit[], query = "") =>
    repository.importPacks(instance, wanted, async (artefact) => {
      const path = `/v1/artefacts/${artefact}/commit.pack${query}`;
      const response = await askApi(api, {
        path,
        accept: "application/octet-stream",
        patienceMs: longPatienceMs,
      });
      return new Uint8Array(await response.arrayBuffer());
    });
  const first = await take(missing);
  const refs = new Set(first.broken.map(({ ref }) => ref));
  const others = missing.filter(({ artefact }) => refs.has(settRef(instance, artefact)));
  if (others.length === 0) return first;
  const have = await repository.landmarks(await repository.head());
  const second = await take(others, `?have=${have.join(",")}`);
  return { imported: [...first.imported, ...second.imported], broken: second.broken };
}
