// The user's repository, on this machine or mounted into the container.
import { postGoal } from "../../lib/client/actions/post-goal.ts";
import { startsOfWork } from "../../lib/client/facts/start-of-work.ts";
import { suggestFor } from "../../lib/client/text/suggest.ts";
import { HostRepository } from "../../lib/git/host-repository.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { Repository } from "./deps.ts";

/** `environment`: of git. Throws `repository-unusable`. */
export async function openRepository(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Repository> {
  const repository = await HostRepository.open(folder, { env: environment, mayBeEmpty: true });
  return {
    async head() {
      try {
        return await repository.head();
      } catch (error) {
        if (error instanceof SettError && error.code === "repository-unusable") return undefined;
        throw error;
      }
    },
    postGoal: (board, { text, id, commit, actor }) =>
      postGoal(board, repository, { text, id, commit, actor, suggest: suggestFor(undefined), recording: undefined }),
    async changes(board, artefact) {
      const { commit } = artefact.metadata;
      if (commit === undefined) throw new SettError("artefact-not-found", "The artefact has no commit.");
      await repository.fetchCommits(board.instance, await board.listCommits());
      return await repository.showChanges(commit, await startsOfWork(board, artefact), "lines");
    },
  };
}
