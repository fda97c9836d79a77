// Posts a goal: it pins the commit at which work starts, then creates the artefact.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { newThread } from "../../core/new-artefact.ts";
import type { HostRepository } from "../../git/repository/host-repository.ts";
import { type Artefact, goalType, userRole } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import { ArtefactId, type CommitHash, GoalId } from "../../model/ids.ts";
import { isArchiveName } from "../archive-name.ts";
import { dirtyHint, listDirty } from "../render/dirty-files.ts";
import { boundedLine, firstLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { typeText } from "../text/type-text.ts";
import type { Marks } from "./marks.ts";
import { type Sign, signed } from "./sign.ts";
import { storePosted } from "./store-posted.ts";

/**
 * `id`: lets the caller post the same goal again without a second goal; undefined makes a new id.
 * `recording`: the folder into which the gateway writes calls of models now. `commit`: where work
 * starts; undefined: at HEAD, without a change that is not committed. `from`: the artefacts of
 * other goals that it begins with, as its sources.
 */
type GoalInput = {
  text: string;
  id: GoalId | undefined;
  commit?: CommitHash | undefined;
  from?: readonly ArtefactId[];
  actor: Actor;
  suggest: Suggest;
  recording: string | undefined;
  marks?: Marks;
  sign?: Sign | undefined;
  /** Is given what git waits for, if looking for changes takes more than 3 s. */
  onSlow?: (sentence: string) => void;
};

/**
 * Returns the existing goal where one with this id was posted before. If the connection breaks
 * before the blackboard has answered, the goal may exist or not: its commit stays pinned, and the
 * error says how to continue.
 */
export async function postGoal(
  board: PersonBlackboard,
  repository: HostRepository,
  input: GoalInput,
): Promise<Artefact> {
  const { text, id, actor, suggest, sign } = input;
  const existing = id && (await board.readArtefact(ArtefactId.parse(id)));
  if (existing !== undefined) return sameGoal(existing, text);
  const commit =
    input.commit === undefined
      ? await cleanHead(repository, input)
      : await repository.commit(input.commit);
  const unsigned = goalArtefact(
    id ?? GoalId.parse(randomUUID()),
    text,
    commit,
    await repository.lastTag(commit),
    input,
  );
  const about = { artefact: unsigned, actor, content: "" };
  const goal = await signed({ board, sign, suggest }, about);
  const result = await storePosted(board, repository, goal, {
    actor,
    name: "goal",
    hintIfUnknown: `When Redis answers again: ${suggest(`forage --id ${goal.goal_id} --goal "…"`)}. The same id never makes a second goal.`,
  });
  if (result.outcome !== "refused") return goal;
  // Another program has posted the same goal meanwhile: it has its commit, and its pin.
  const other = id && (await board.readArtefact(ArtefactId.parse(id)));
  if (other !== undefined) {
    if (other.metadata.commit !== undefined)
      await repository.pin(board.instance, goal.goal_id, other.metadata.commit);
    return sameGoal(other, text);
  }
  await repository.unpin(board.instance, goal.goal_id);
  throw new SettError("blackboard-refused", `The blackboard refused the goal: ${result.reason}`);
}

function sameGoal(existing: Artefact, text: string): Artefact {
  if (String(existing.goal_id) === existing.id && existing.payload === text) return existing;
  const message = `Another artefact has the id ${existing.id}: ${typeText(existing.type)}, ${boundedLine(existing.metadata.summary ?? "", 100)}.`;
  throw new SettError("usage", message, { hint: "Leave out --id to post a new goal." });
}

/**
 * The commit at HEAD. Agents see only committed files, so the working tree must be clean, except
 * for what Sett itself has written: archives of `sett prune`, and recorded calls. Throws
 * `workspace-dirty`.
 */
async function cleanHead(
  repository: HostRepository,
  { recording, onSlow }: Pick<GoalInput, "recording" | "onSlow">,
): Promise<CommitHash> {
  const [changed, head] = await Promise.all([repository.dirtyFiles(onSlow), repository.head()]);
  const isRecorded = (path: string) =>
    recording !== undefined &&
    join(repository.place.toplevel, path, "/").startsWith(join(recording, "/"));
  const dirty = changed.filter(
    ({ state, path }) => state !== "??" || !(isArchiveName(path) || isRecorded(path)),
  );
  if (dirty.length === 0) return head;
  throw new SettError(
    "workspace-dirty",
    `The repository has changes that are not committed, which agents would not see:\n${listDirty(dirty)}`,
    {
      hint: dirtyHint(dirty),
    },
  );
}

function goalArtefact(
  id: GoalId,
  text: string,
  commit: CommitHash,
  tag: { name: string; commit: CommitHash } | undefined,
  { marks, from = [] }: Pick<GoalInput, "marks" | "from">,
): Artefact {
  const lastTag = tag && { last_tag: tag.name, last_tag_commit: tag.commit };
  return newThread(
    { id, at: new Date().toISOString(), role: userRole, agent: "", goal: id, claim: "" },
    {
      structural_type: "Standard",
      type: goalType,
      payload: text,
      sources: from,
      metadata: { summary: firstLine(text), commit, ...lastTag, ...marks },
    },
  );
}
