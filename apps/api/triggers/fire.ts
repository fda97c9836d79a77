// States the goal of a trigger for one moment: once, however often it is asked, and whenever it was
// interrupted.
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { ArtefactId, type GoalId } from "../../../lib/model/ids.ts";
import type { Trigger } from "../../../lib/model/trigger.ts";
import { goalIdOf } from "../../../lib/triggers/goal-id.ts";
import { goalText } from "../../../lib/triggers/goal-text.ts";
import type { Fired } from "../../../lib/triggers/hook.ts";
import type { Moment } from "../../../lib/triggers/kind.ts";
import type { Parts } from "../parts.ts";
import { repositoryOf } from "../routes/goals.ts";

export type TriggerParts = Pick<Parts, "deps" | "board" | "firing">;

export function actorOf({ name }: Pick<Trigger, "name">): Actor {
  return `trigger:${name}`;
}

/**
 * Throws `not-ready` where there is no repository, or none with a commit, and what `postGoal`
 * throws.
 */
export async function fireFor(
  parts: TriggerParts,
  trigger: Trigger,
  moment: Moment,
): Promise<Fired> {
  const id = goalIdOf(parts.board.instance, trigger.name, moment.happened);
  return await parts.firing.run(id, () => fireOnce(parts, trigger, moment, id));
}

async function fireOnce(
  parts: TriggerParts,
  trigger: Trigger,
  moment: Moment,
  id: GoalId,
): Promise<Fired> {
  const { board, deps } = parts;
  const actor = actorOf(trigger);
  const known = await board.readArtefact(ArtefactId.parse(id));
  // Its text may have another template by now.
  const goal = known ?? (await post(parts, trigger, moment, { id, actor }));
  const { cause, commit: wanted, issue, missed = 0 } = moment;
  const isElsewhere = wanted !== undefined && goal.metadata.commit !== wanted;
  const more = {
    ...(missed > 0 && { missed }),
    ...(isElsewhere && { wanted_commit: wanted }),
    ...(issue !== undefined && { issue }),
  };
  const event = {
    type: "trigger_fired" as const,
    goal_id: id,
    data: { kind: trigger.kind, cause, ...more },
  };
  const fields = issue === undefined ? {} : { issue };
  const record = {
    record: { goal: id },
    mark: "trigger",
    value: trigger.name,
    fields,
    event,
    actor,
  };
  const { outcome } = await board.recordTrigger(record);
  deps.metrics.triggers.inc({
    kind: trigger.kind,
    outcome: outcome === "recorded" ? "fired" : "repeat",
  });
  if (outcome === "recorded")
    deps.log.info("A trigger has stated a goal", {
      trigger: trigger.name,
      cause,
      goal_id: id,
      ...more,
    });
  return { goal: id, isNew: known === undefined };
}

async function post(
  parts: TriggerParts,
  trigger: Trigger,
  moment: Moment,
  { id, actor }: { id: GoalId; actor: Actor },
) {
  const repository = repositoryOf(parts);
  const { commit, values, source } = moment;
  const begin =
    commit !== undefined && (await repository.hasCommit(commit)) ? commit : await repository.head();
  if (begin === undefined) {
    const hint = "Commit something: agents work on what is committed.";
    throw new SettError(
      "not-ready",
      "The repository has no commits, at which the work could begin.",
      { hint },
    );
  }
  const text = goalText(trigger.goal, { ...values, trigger: trigger.name }, source);
  return await repository.postGoal(parts.board, { text, id, commit: begin, actor });
}
