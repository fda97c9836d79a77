// A goal's way onto the blackboard: the commit it starts from pinned first, then the artefact.

import { randomUUID } from "node:crypto";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { WritesRefused } from "../../../lib/blackboard/refused.ts";
import { newThread } from "../../../lib/core/new-artefact.ts";
import type { HostRepository } from "../../../lib/git/host-repository.ts";
import { type Artefact, goalType, userRole } from "../../../lib/model/artefact.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { ArtefactId, type CommitHash, GoalId } from "../../../lib/model/ids.ts";
import { isArchiveName } from "../archive/name.ts";
import { listDirty } from "../render/dirty-files.ts";
import { firstLine, oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";

/** `id`: given by the caller, who may post the same goal again with it; a new one without it. */
type Stating = { text: string; id: GoalId | undefined; actor: Actor; suggest: Suggest };

/**
 * A goal that was stated under this id before is returned as it stands. Where contact breaks before the blackboard has answered, the goal
 * may stand there or not: its commit stays pinned, and the error says how to find out.
 */
export async function stateGoal(board: Blackboard, repository: HostRepository, stating: Stating): Promise<Artefact> {
  const { text, id, actor } = stating;
  const stated = id && (await board.readArtefact(ArtefactId.parse(id)));
  if (stated !== undefined) return sameGoal(stated, text);
  const commit = await cleanHead(repository);
  const goal = goalArtefact(id ?? GoalId.parse(randomUUID()), text, commit, await repository.lastTag(commit));
  await repository.pin(board.instance, goal.goal_id, commit);
  const result = await board.createArtefact(goal, actor).catch(async (cause: unknown) => {
    if (!(cause instanceof WritesRefused)) throw outcomeUnknown(goal.goal_id, stating, cause);
    await repository.unpin(board.instance, goal.goal_id);
    const hint = `${cause.hint ?? ""} Then state the goal again.`.trim();
    throw new SettError(cause.code, `The goal was not stated: ${cause.message}`, { hint, cause });
  });
  if (result.outcome !== "refused") return goal;
  await repository.unpin(board.instance, goal.goal_id);
  throw new SettError("blackboard-refused", `The blackboard refused the goal: ${result.reason}`);
}

function sameGoal(stated: Artefact, text: string): Artefact {
  if (String(stated.goal_id) === stated.id && stated.payload === text) return stated;
  const message = `The id ${stated.id} stands for something else: ${oneLine(stated.type)}, ${oneLine(stated.metadata.summary ?? "")}.`;
  throw new SettError("usage", message, { hint: "Leave out --id to state a new goal." });
}

function outcomeUnknown(id: GoalId, { suggest }: Stating, cause: unknown): SettError {
  const hint = `Once Redis answers: ${suggest(`forage --id ${id} --goal "…"`)}. A goal that stands under this id is not stated a second time.`;
  return new SettError("redis-unreachable", `Whether the goal was stated is not known: ${messageOf(cause)}`, { hint, cause });
}

/**
 * Agents see what is committed; a goal stated on anything else would mislead. An archive that `sett prune` has left here is not for them.
 * Throws `workspace-dirty`.
 */
async function cleanHead(repository: HostRepository): Promise<CommitHash> {
  const changed = await repository.dirtyFiles();
  const dirty = changed.filter(({ state, path }) => state !== "??" || !isArchiveName(path));
  if (dirty.length === 0) return await repository.head();
  throw new SettError(
    "workspace-dirty",
    `The repository has changes that are not committed, which agents would not see:\n${listDirty(dirty)}`,
    {
      hint: "Commit them (`git add -A && git commit`), or put them aside (`git stash -u`).",
    },
  );
}

function goalArtefact(
  id: GoalId,
  text: string,
  commit: CommitHash,
  tag: { name: string; commit: CommitHash } | undefined,
): Artefact {
  const lastTag = tag && { last_tag: tag.name, last_tag_commit: tag.commit };
  return newThread(
    { id, at: new Date().toISOString(), role: userRole, agent: "", goal: id, claim: "" },
    {
      structural_type: "Standard",
      type: goalType,
      payload: text,
      sources: [],
      metadata: { summary: firstLine(text), commit, ...lastTag },
    },
  );
}
