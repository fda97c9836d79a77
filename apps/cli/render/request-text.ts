// A person's request to the orchestrator, as a sentence.

import { oneLine } from "../../../lib/client/text/plain-text.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { actorName } from "../../../lib/words/actor-name.ts";
import { agoOf } from "../../../lib/words/age.ts";
import { shortId } from "../../../lib/words/short-id.ts";

export function requestSentence(request: SettEvent, nowMs: number): string {
  const who = oneLine(actorName(request.actor));
  return `${who} asked ${whatFor(request)} ${agoOf(request.time, nowMs)}: an orchestrator has not acted on it yet`;
}

function whatFor({ type, goal_id, artefact_id }: SettEvent): string {
  switch (type) {
    case "cancel_requested":
      return `to cancel goal ${shortId(goal_id ?? "")}`;
    case "retry_requested":
      return `to retry the claim that failed with ${shortId(artefact_id ?? "")}`;
    case "resume_requested":
      return `to resume ${pausedPart(goal_id)}`;
    default:
      return `to pause ${pausedPart(goal_id)}`;
  }
}

function pausedPart(goal: GoalId | undefined): string {
  return goal === undefined ? "the instance" : `goal ${shortId(goal)}`;
}
