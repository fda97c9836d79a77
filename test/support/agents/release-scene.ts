// The sample repository with a goal stated on it, and agents that work as they do in Sett: each on
// a working copy of its own, commits by way of the exchange. Only who works when is up to the test.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { baseCommit, commitsOnRecord } from "../../../lib/core/base-commit.ts";
import { readToolOutput } from "../../../lib/core/read-tool-output.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import {
  type AgentName,
  type ArtefactId,
  type CommitHash,
  InstanceName,
} from "../../../lib/model/ids.ts";
import { type Phase, phaseTable } from "../../../lib/model/phase.ts";
import { formatToolInput } from "../../../lib/model/tool-contract.ts";
import { copyIn, foldersOf } from "../git/folders.ts";
import { agentName, newClaimId, newGoalId, sampleArtefact } from "../records/sample.ts";
import { git, runAgent, runScript } from "./run-agent.ts";

const instance = InstanceName.parse("train");

type Sample = {
  folder: string;
  commit(subject: string, files: Record<string, string | null>): Promise<void>;
};
type Options = { goal?: string; change?: (sample: Sample) => Promise<void> };
type Assignment = {
  phase: Phase;
  chain?: Artefact[];
  additional?: Artefact[];
  settings?: Record<string, string>;
};

/** The same commits each time: they are made once, and each scene has a copy of its own. */
let archive: Promise<Buffer> | undefined;

async function archiveOfSample(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "sett-sample-"));
  try {
    const script = "release-train/make-repository.sh";
    const { exitCode, stderr } = await runScript(script, [join(folder, "door")], folder);
    if (exitCode !== 0) throw new Error(stderr);
    return (await $`tar -c -C ${folder} door`.quiet()).stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `change` is what happens to the repository before the goal is stated. */
export async function releaseScene({ goal: payload = "Release 1.2.0", change }: Options = {}) {
  const folder = await mkdtemp(join(tmpdir(), "sett release "));
  const sample = join(folder, "door");
  archive ??= archiveOfSample();
  await $`tar -x -C ${folder} < ${await archive}`.quiet();
  await change?.({
    folder: sample,
    commit: (subject, files) => commitFiles(sample, subject, files),
  });

  const host = await HostRepository.open(sample, { env: process.env });
  await host.exchange(instance).make({ writers: ["changelog", "reviewer"].map(agentName) });
  const commit = await host.head();
  const tag = await host.lastTag(commit);
  const goal = sampleArtefact({
    payload,
    metadata: {
      commit,
      ...(tag === undefined ? {} : { last_tag: tag.name, last_tag_commit: tag.commit }),
    },
  });

  const results: { artefact: ArtefactId; commit: CommitHash; agent: AgentName }[] = [];

  async function workingCopy(agent: string, target: Artefact, context: readonly Artefact[]) {
    const place = foldersOf(host, instance);
    const workspaceDir = join(folder, agent);
    const gitOfCub = { path: "git", env: { PATH: process.env.PATH ?? "" } };
    const copy = copyIn({
      git: gitOfCub,
      agentName: agentName(agent),
      workspaceDir,
      ...place,
    });
    const base = baseCommit(target, context) ?? commit;
    await copy.prepare(base, commitsOnRecord(target, context));
    return { copy, workspaceDir };
  }

  return {
    folder,
    sample,
    goal,
    host,
    /** Brings what the agents have committed so far into the sample repository. */
    fetch: () => host.fetchCommits(instance, results),
    /**
     * Returns what the agent answers to this work, as the artefact that it becomes. Throws what a
     * script says that fails.
     */
    async ask(
      agent: string,
      target: Artefact,
      { phase, chain = [], additional = [], settings = {} }: Assignment,
    ): Promise<Artefact> {
      const { copy, workspaceDir } = await workingCopy(agent, target, [...chain, ...additional]);
      const work = {
        target_artefact: target,
        context_chain: chain,
        additional_context: additional,
      };
      const stdin = formatToolInput({
        claim_type: phaseTable[phase].bid,
        claim_id: newClaimId(),
        ...work,
      });
      const ran = await runAgent(agent, stdin, workspaceDir, settings);
      if (ran.exitCode !== 0) throw new Error(ran.stderr);
      const read = readToolOutput(new TextEncoder().encode(ran.stdout), {
        phase,
        kind: "standard",
        target: target.type,
      });
      if (!read.ok) throw new Error(`${read.reason}\n${ran.stdout}`);
      const { summary = "", metadata, ...result } = read.result;
      const made = sampleArtefact({
        ...result,
        goal_id: goal.goal_id,
        produced_by_role: agent,
        produced_by_agent: agent,
      });
      const promised =
        result.type === "CodeCommit" ? await copy.resolveCommit(result.payload) : undefined;
      if (promised !== undefined) {
        await copy.publish(promised, commit);
        results.push({ artefact: made.id, commit: promised, agent: agentName(agent) });
      }
      return {
        ...made,
        metadata: { ...metadata, summary, ...(promised === undefined ? {} : { commit: promised }) },
      };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export type ReleaseScene = Awaited<ReturnType<typeof releaseScene>>;

/**
 * The reviewer's word on a commit, its problems as a list; `chain` holds whatever else the commit
 * was made from.
 */
export async function review(scene: ReleaseScene, target: Artefact, chain: Artefact[] = []) {
  const artefact = await scene.ask("reviewer", target, {
    phase: "review",
    chain: [scene.goal, ...chain],
  });
  const { problems = [] }: { problems?: string[] } = JSON.parse(artefact.payload);
  return { artefact, problems };
}

/** A commit that is in the repository already, as if an agent had made it. */
export async function commitOnTop(
  scene: ReleaseScene,
  files: Record<string, string | null>,
  version = "1.2.0",
): Promise<Artefact> {
  const head = await git(scene.sample, "rev-parse", "HEAD");
  await commitFiles(scene.sample, "Release by hand\n\nChangelog: skip", files);
  const commit = await scene.host.head();
  await scene.host.pin(instance, newGoalId(), commit);
  await git(scene.sample, "reset", "-q", "--hard", head);
  return sampleArtefact({
    type: "CodeCommit",
    payload: commit,
    goal_id: scene.goal.goal_id,
    metadata: { commit, version },
  });
}

async function commitFiles(
  folder: string,
  message: string,
  files: Record<string, string | null>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(join(path, ".."), { recursive: true });
    if (content === null) await rm(path);
    else await writeFile(path, content, { mode: content.startsWith("#!") ? 0o755 : 0o644 });
  }
  await git(folder, "add", "--all");
  await git(folder, "commit", "-q", "--allow-empty", "-m", message);
}
