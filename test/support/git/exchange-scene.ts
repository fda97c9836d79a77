// A host repository with an exchange and a pinned goal, and agents' working copies beside it.
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { settRef } from "../../../lib/git/refs.ts";
import { WorkingCopy } from "../../../lib/git/working-copy.ts";
import type { ArtefactId, CommitHash } from "../../../lib/model/ids.ts";
import {
  agentName,
  commitFiles,
  hostEnv,
  instance,
  newArtefactId,
  newGoalId,
  sampleRepository,
  toolGit,
} from "./sample-repository.ts";

interface Agent {
  readonly copy: WorkingCopy;
  readonly folder: string;
  /** Commits the files on top of what is there, publishes them under a new name and puts that on record. */
  publish(files: Record<string, string>, base: CommitHash): Promise<Result>;
}

interface Result {
  readonly ref: string;
  readonly commit: CommitHash;
}

export async function exchangeScene(initArgs: string[] = []) {
  const host = sampleRepository(initArgs);
  const repository = await HostRepository.open(host.path, { env: hostEnv });
  const results: { artefact: ArtefactId; commit: CommitHash }[] = [];
  const record = (commit: CommitHash): Result => {
    const artefact = newArtefactId();
    results.push({ artefact, commit });
    return { ref: settRef(instance, artefact), commit };
  };
  const goalId = newGoalId();
  await repository.pin(instance, goalId, host.base);
  await repository.createExchange();
  return {
    repository,
    path: host.path,
    root: host.root,
    base: host.base,
    goalId,
    exchangeDir: repository.exchangeDir,
    agent: (name: string) => agentIn(repository, join(host.root, name), record),
    /** Puts a commit on record, as the blackboard would, although no agent has published it. */
    record,
    /** Fetches what is on record by now. */
    fetch: () => repository.fetchCommits(instance, results),
    [Symbol.dispose]: host[Symbol.dispose],
  };
}

function agentIn(repository: HostRepository, folder: string, record: (commit: CommitHash) => Result): Agent {
  const { objectsDir } = repository.place;
  const git = { path: "git", env: { PATH: process.env.PATH } };
  const copy = new WorkingCopy({ git, agentName, objectsDir, exchangeDir: repository.exchangeDir, workspaceDir: folder });
  return {
    copy,
    folder,
    publish: async (files, base) => {
      const commit = commitFiles(folder, files, "By an agent", toolGit);
      const result = record(commit);
      await copy.publish(commit, result.ref, base);
      return result;
    },
  };
}

/** The scene of an agent that has published one good commit. */
export async function sceneWithResult() {
  const scene = await exchangeScene();
  const one = scene.agent("one");
  await one.copy.prepare(scene.base);
  const good = await one.publish({ a: "a" }, scene.base);
  return { ...scene, one, good, [Symbol.dispose]: scene[Symbol.dispose] };
}

export const packFolderOf = ({ exchangeDir }: { exchangeDir: string }) => join(exchangeDir, "objects/pack");
