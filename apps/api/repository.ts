// The user's repository, on this machine or mounted into the container.
import { postGoal } from "../../lib/client/actions/post-goal.ts";
import { startsOfWork } from "../../lib/client/facts/start-of-work.ts";
import { suggestFor } from "../../lib/client/text/suggest.ts";
import { HostRepository } from "../../lib/git/host-repository.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { Repository } from "./deps.ts";

/**
 * `hasFiles`: its files are there, so that a goal is refused while some are not committed. `resultsFolder`: where commits of agents are read,
 * instead of in the repository.
 */
type Access = { hasFiles?: boolean; resultsFolder?: string | undefined };

/** `environment`: of git. Throws `repository-unusable`. */
export async function openRepository(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  { hasFiles = true, resultsFolder }: Access = {},
): Promise<Repository> {
  const repository = await HostRepository.open(folder, { env: environment, mayBeEmpty: true });
  const results = resultsFolder === undefined ? undefined : await repository.openResults(resultsFolder);
  return {
    async head() {
      try {
        return await repository.head();
      } catch (error) {
        if (error instanceof SettError && error.code === "repository-unusable") return undefined;
        throw error;
      }
    },
    postGoal: async (board, { text, id, commit, actor }) => {
      const begin = commit ?? (hasFiles ? undefined : await repository.head());
      const input = { text, id, commit: begin, actor, suggest: suggestFor(undefined), recording: undefined };
      return await postGoal(board, repository, input);
    },
    async changes(board, artefact) {
      const { commit } = artefact.metadata;
      if (commit === undefined) throw new SettError("artefact-not-found", "The artefact has no commit.");
      const recorded = await board.listCommits();
      if (results === undefined) await repository.fetchCommits(board.instance, recorded);
      const reader = results === undefined ? repository : await results.take(board.instance, recorded);
      return await reader.showChanges(commit, await startsOfWork(board, artefact));
    },
  };
}
