// A goal's way onto the blackboard: the commit it starts from pinned first, then the artefact.
import { randomUUID } from "node:crypto";
import type { Blackboard } from "../../lib/blackboard/port.ts";
import type { HostRepository } from "../../lib/git/host-repository.ts";
import { type Artefact, goalType, userRole } from "../../lib/model/artefact.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { Actor } from "../../lib/model/event.ts";
import { ArtefactId, type CommitHash, GoalId, LogicalId } from "../../lib/model/ids.ts";
import { firstLine, oneLine } from "./render/plain-text.ts";

const listedFiles = 20;

export async function stateGoal(board: Blackboard, repository: HostRepository, text: string, actor: Actor): Promise<Artefact> {
  const commit = await cleanHead(repository);
  const goal = goalArtefact(text, commit, await repository.lastTag(commit));
  await repository.pin(board.instance, goal.goal_id, commit);
  try {
    const result = await board.createArtefact(goal, actor);
    if (result.outcome !== "refused") return goal;
    throw new SettError("blackboard-refused", `The blackboard refused the goal: ${result.reason}`);
  } catch (error) {
    await repository.unpin(board.instance, goal.goal_id);
    throw error;
  }
}

/** Agents see what is committed; a goal stated on anything else would mislead. Throws `workspace-dirty`. */
async function cleanHead(repository: HostRepository): Promise<CommitHash> {
  const dirty = await repository.dirtyFiles();
  if (dirty.length === 0) return await repository.head();
  const lines = dirty.slice(0, listedFiles).map(({ state, path }) => `  ${state} ${oneLine(path)}`);
  if (dirty.length > listedFiles) lines.push(`  … and ${dirty.length - listedFiles} more`);
  throw new SettError(
    "workspace-dirty",
    `The repository has changes that are not committed, which agents would not see:\n${lines.join("\n")}`,
    {
      hint: "Commit them (`git add -A && git commit`), or put them aside (`git stash -u`).",
    },
  );
}

function goalArtefact(text: string, commit: CommitHash, tag: { name: string; commit: CommitHash } | undefined): Artefact {
  const id = randomUUID();
  return {
    id: ArtefactId.parse(id),
    logical_id: LogicalId.parse(id),
    version: 1,
    structural_type: "Standard",
    type: goalType,
    payload: text,
    source_artefacts: [],
    produced_by_role: userRole,
    produced_by_agent: "",
    created_at: new Date().toISOString(),
    goal_id: GoalId.parse(id),
    claim_id: "",
    metadata: {
      summary: firstLine(text),
      commit,
      ...(tag === undefined ? {} : { last_tag: tag.name, last_tag_commit: tag.commit }),
    },
  };
}
