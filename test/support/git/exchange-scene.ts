// A host repository with an exchange and a pinned goal, and agents' working copies beside it.

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { SparsePaths } from "../../../lib/git/copy/sparse-paths.ts";
import type { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { NamedCommit } from "../../../lib/git/repository/import-commits.ts";
import { settRef } from "../../../lib/git/repository/refs.ts";
import { AgentName, type ArtefactId, type CommitHash } from "../../../lib/model/ids.ts";
import { agentsGit, copyIn, foldersOf } from "./folders.ts";
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
  /** Its part of the exchange. */
  readonly packs: string;
  /** Puts its working copy at a commit, with all that is on record. */
  prepare(commit: CommitHash): Promise<void>;
  /** Commits the files on top of what is there, publishes them and puts that on record. */
  publish(files: Record<string, string>): Promise<NamedCommit>;
}

export async function exchangeScene(initArgs: string[] = []) {
  const host = sampleRepository(initArgs);
  const repository = await HostRepository.open(host.path, { env: hostEnv });
  const results: { artefact: ArtefactId; commit: CommitHash; agent: AgentName | "" }[] = [];
  const record = (commit: CommitHash, agent: AgentName | "" = ""): NamedCommit => {
    const artefact = newArtefactId();
    results.push({ artefact, commit, agent });
    return { ref: settRef(instance, artefact), commit, agent };
  };
  const goalId = newGoalId();
  await repository.exchange(instance).make({ writers: [agentName] });
  await repository.pin(instance, goalId, host.base);
  const { objectsDir, exchangeDir } = foldersOf(repository, instance);
  /** `paths`: those of its part of the repository. */
  const agent = (name: string, git = agentsGit, paths?: readonly string[]): Agent => {
    const own = AgentName.parse(name);
    const [folder, packs] = [join(host.root, name), join(exchangeDir, name)];
    mkdirSync(packs, { recursive: true });
    const copy = copyIn({
      git,
      agentName: own,
      objectsDir,
      exchangeDir,
      workspaceDir: folder,
      sparse: paths && new SparsePaths(paths),
    });
    return {
      copy,
      folder,
      packs,
      prepare: (commit) => copy.prepare(commit, results.toReversed()),
      publish: async (files) => {
        const commit = commitFiles(folder, files, "By an agent", toolGit);
        await copy.publish(commit, host.base);
        return record(commit, own);
      },
    };
  };
  return {
    repository,
    path: host.path,
    root: host.root,
    base: host.base,
    goalId,
    objectsDir,
    exchangeDir,
    agent,
    /** Puts a commit on record, as the blackboard would, although no agent has published it. */
    record,
    /** Fetches what is on record by now. */
    fetch: () => repository.fetchCommits(instance, results),
    [Symbol.dispose]: host[Symbol.dispose],
  };
}

/** The scene of an agent that has published one good commit. */
export async function sceneWithResult() {
  const scene = await exchangeScene();
  const one = scene.agent("one");
  await one.prepare(scene.base);
  const good = await one.publish({ a: "a" });
  return { ...scene, one, good, [Symbol.dispose]: scene[Symbol.dispose] };
}

/** The commits that are in the exchange, by the names of their files. */
export function publishedIn({ exchangeDir }: { exchangeDir: string }): string[] {
  return readdirSync(exchangeDir)
    .flatMap((name) => readdirSync(join(exchangeDir, name)))
    .map((name) => name.replace(/\.pack$/, ""))
    .sort();
}
