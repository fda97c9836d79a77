// The user's repository: on this machine, mounted into the container, or a copy of what agents see.

import { tmpdir } from "node:os";
import type { PersonBlackboard } from "../../lib/blackboard/port/holders.ts";
import { postGoal } from "../../lib/client/actions/post-goal.ts";
import { readChanges } from "../../lib/client/facts/changes.ts";
import { HostRepository } from "../../lib/git/repository/host-repository.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { SettError } from "../../lib/model/errors.ts";
import { ArtefactId, type CommitHash, type InstanceName } from "../../lib/model/ids.ts";
import type { Repository } from "./deps.ts";
import { suggestRequest } from "./over-http.ts";
import { throughFile } from "./through-file.ts";

/**
 * `hasFiles`: its files are there, so that a goal is refused while some are not committed.
 * `results`: where commits of the instance's agents are read, instead of in the repository.
 * `packs`: the service by which agents reach them.
 */
type Access = {
  hasFiles?: boolean;
  results?: { instance: InstanceName; folder: string } | undefined;
  packs?: PacksAddress | undefined;
};

type PacksAddress = Parameters<typeof HostRepository.openCopy>[1];

type Environment = Readonly<Record<string, string | undefined>>;

/** `environment`: of git. Throws `repository-unusable`. */
export async function openRepository(
  folder: string,
  environment: Environment,
  { packs, ...access }: Access = {},
): Promise<Repository> {
  const packsOf = async () => packs;
  const options = { env: environment, mayBeEmpty: true, mayFetch: false, packsOf };
  return await over(await HostRepository.open(folder, options), access);
}

async function over(
  repository: HostRepository,
  { hasFiles = true, results }: Access,
): Promise<Repository> {
  const folder = results?.folder ?? tmpdir();
  const reader = results && (await repository.openResults(results.instance, results.folder));
  const withResults = async (board: PersonBlackboard) => {
    const recorded = await board.listCommits();
    if (reader !== undefined) return await reader.take(recorded);
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
    resolve: (name) => repository.resolve(name),
    postGoal: async (board, goal) => {
      const commit = goal.commit ?? (hasFiles ? undefined : await repository.head());
      return await postGoal(board, repository.withSeen(board.instance), {
        ...goal,
        commit,
        suggest: suggestRequest,
        recording: undefined,
      });
    },
    lacking: async (instance, commit) => {
      const found = await repository
        .withSeen(instance)
        .exchange(instance)
        .lacking(commit)
        .catch(() => []);
      return found.map((each) => `${each.found} ${each.remedy}`);
    },
    posting: async (instance) => repository.withSeen(instance),
    async pack(board, artefact, have) {
      const commit = commitOf(artefact);
      const seen = await repository.exchange(board.instance).brought.seen(have ?? []);
      // A client that names nothing that agents see has no clone, and gets no history.
      const there = seen.length > 0 ? seen : await startOf(board, artefact);
      const reader = await withResults(board);
      return await throughFile(folder, (onChunk) => reader.writePack(commit, there, onChunk));
    },
    hasCommit: (commit) => repository.hasCommit(commit),
    async known(instance, commits) {
      const seen = await repository.exchange(instance).brought.seen(commits);
      const [wanted] = commits;
      if (wanted === undefined || seen.includes(wanted)) return seen;
      return (await repository.hasCommit(wanted)) ? [wanted, ...seen] : seen;
    },
    bring: (instance, commit, pack) =>
      repository.exchange(instance).brought.take(commit, { pack, folder }),
    tags: () => repository.tags(),
    changes: async (board, artefact, wanted) =>
      await readChanges(board, await withResults(board), artefact, wanted),
  };
}

/**
 * `folder`: for the copy. It comes when it is needed first, since the service that has it may start
 * later, and is brought up to date for each question.
 */
export function copiedRepository(
  folder: string,
  environment: Environment,
  access: Access & { packs: PacksAddress },
): Repository {
  let opened: Promise<{ copy: HostRepository; repository: Repository }> | undefined;
  const begin = async () => {
    const copy = await HostRepository.openCopy(folder, access.packs, environment);
    return { copy, repository: await over(copy, access) };
  };
  const current = async () => {
    opened ??= begin().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    const { copy, repository } = await opened;
    await copy.update();
    return repository;
  };
  return {
    head: async () => await (await current()).head(),
    resolve: async (name) => await (await current()).resolve(name),
    postGoal: async (...goal) => await (await current()).postGoal(...goal),
    // It has what agents find, and does not know what else there is.
    lacking: async () => [],
    posting: async (instance) => await (await current()).posting(instance),
    pack: async (...what) => await (await current()).pack(...what),
    hasCommit: async (commit) => await (await current()).hasCommit(commit),
    known: async (...which) => await (await current()).known(...which),
    bring: async (...what) => await (await current()).bring(...what),
    tags: async () => await (await current()).tags(),
    changes: async (...what) => await (await current()).changes(...what),
  };
}

/** The commit at which the goal of the artefact begins. */
async function startOf(board: PersonBlackboard, { goal_id }: Artefact): Promise<CommitHash[]> {
  const [goal] = await board.readHeads([ArtefactId.parse(goal_id)]);
  const commit = goal?.head.metadata.commit;
  return commit === undefined ? [] : [commit];
}

function commitOf({ metadata: { commit } }: Artefact) {
  if (commit !== undefined) return commit;
  throw new SettError("artefact-not-found", "The artefact has no commit.");
}
