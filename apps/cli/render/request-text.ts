// What somebody has asked the orchestrator for, as a sentence.
import type { SettEvent } from "../../../lib/model/event.ts";
import { agoOf } from "../text/age.ts";
import { oneLine } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";
import { actorName } from "./event-line.ts";

export function requestSentence(request: SettEvent, nowMs: number): string {
  const who = oneLine(actorName(request.actor));
  return `${who} asked ${whatFor(request)} ${agoOf(request.time, nowMs)}: it takes effect once an orchestrator gets to it`;
}

function whatFor({ type, goal_id, artefact_id }: SettEvent): string {
  switch (type) {
    case "cancel_requested":
      return `to cancel goal ${shortId(goal_id ?? "")}`;
    case "retry_requested":
      return `to try again what ended with ${shortId(artefact_id ?? "")}`;
    case "resume_requested":
      return "to go on";
    default:
      return "for a pause";
  }
}
