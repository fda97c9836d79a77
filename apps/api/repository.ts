// The user's repository, on this machine or mounted into the container.

import { tmpdir } from "node:os";
import type { PersonBlackboard } from "../../lib/blackboard/port/holders.ts";
import { postGoal } from "../../lib/client/actions/post-goal.ts";
import { readChanges } from "../../lib/client/facts/changes.ts";
import { HostRepository } from "../../lib/git/repository/host-repository.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { SettError } from "../../lib/model/errors.ts";
import { ArtefactId, type InstanceName } from "../../lib/model/ids.ts";
import type { Repository } from "./deps.ts";
import { suggestRequest } from "./over-http.ts";
import { throughFile } from "./through-file.ts";

/**
 * `hasFiles`: its files are there, so that a goal is refused while some are not committed.
 * `results`: where commits of the instance's agents are read, instead of in the repository.
 * `packsUrl`: of the service by which agents reach them.
 */
type Access = {
  hasFiles?: boolean;
  results?: { instance: InstanceName; folder: string } | undefined;
  packsUrl?: string | undefined;
};

/** `environment`: of git. Throws `repository-unusable`. */
export async function openRepository(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  { hasFiles = true, results, packsUrl }: Access = {},
): Promise<Repository> {
  const repository = await HostRepository.open(folder, {
    env: environment,
    mayBeEmpty: true,
    mayFetch: false,
    packsOf: async () => (packsUrl === undefined ? undefined : { url: packsUrl }),
  });
  const opened = results && (await repository.openResults(results.instance, results.folder));
  const withResults = async (board: PersonBlackboard) => {
    const recorded = await board.listCommits();
    if (opened !== undefined) return await opened.take(recorded);
    await repository.fetchCommits(board.instance, recorded);
    return repository;
  };
  return {
    async head() {
      try {
        return await repository.head();
      } catch (error) {
        if (error instanceof SettError && error.code === "repository-unusable") return undefined;
        throw error;
      }
    },
    postGoal: async (board, goal) => {
      const commit = goal.commit ?? (hasFiles ? undefined : await repository.head());
      return await postGoal(board, repository, {
        ...goal,
        commit,
        suggest: suggestRequest,
        recording: undefined,
      });
    },
    lacking: async (instance, commit) => {
      const found = await repository
        .exchange(instance)
        .lacking(commit)
        .catch(() => []);
      return found.map((each) => `${each.found} ${each.remedy}`);
    },
    posting: repository,
    async pack(board, artefact) {
      const commit = commitOf(artefact);
      const [goal] = await board.readHeads([ArtefactId.parse(artefact.goal_id)]);
      const reader = await withResults(board);
      return await throughFile(results?.folder ?? tmpdir(), (onChunk) =>
        reader.writePack(commit, goal?.head.metadata.commit, onChunk),
      );
    },
    hasCommit: (commit) => repository.hasCommit(commit),
    tags: () => repository.tags(),
    changes: async (board, artefact, wanted) =>
      await readChanges(board, await withResults(board), artefact, wanted),
  };
}

function commitOf({ metadata: { commit } }: Artefact) {
  if (commit !== undefined) return commit;
  throw new SettError("artefact-not-found", "The artefact has no commit.");
}
