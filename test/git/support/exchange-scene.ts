// A host repository with an exchange and a pinned goal, and agents' working copies beside it.
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { settRef } from "../../../lib/git/refs.ts";
import { WorkingCopy } from "../../../lib/git/working-copy.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
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
  /** Commits the files on top of what stands there and publishes them under a new name. */
  publish(files: Record<string, string>, base: CommitHash): Promise<{ ref: string; commit: CommitHash }>;
}

export async function exchangeScene(initArgs: string[] = []) {
  const host = sampleRepository(initArgs);
  const repository = await HostRepository.open(host.path, { env: hostEnv });
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
    agent: (name: string) => agentIn(repository, join(host.root, name)),
    [Symbol.dispose]: host[Symbol.dispose],
  };
}

function agentIn(repository: HostRepository, folder: string): Agent {
  const { objectsDir } = repository.place;
  const git = { path: "git", env: { PATH: process.env.PATH } };
  const copy = new WorkingCopy({ git, agentName, objectsDir, exchangeDir: repository.exchangeDir, workspaceDir: folder });
  return {
    copy,
    folder,
    publish: async (files, base) => {
      const commit = commitFiles(folder, files, "By an agent", toolGit);
      const ref = settRef(instance, newArtefactId());
      await copy.publish(commit, ref, base);
      return { ref, commit };
    },
  };
}
