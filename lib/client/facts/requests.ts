// Requests of people on which the orchestrator has not acted yet.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { SettEvent } from "../../model/event.ts";

const pageSize = 500;

/**
 * Oldest first. The orchestrator has handled every event before its cursor, and perhaps some events
 * after it.
 */
export async function readRequests(board: PersonBlackboard): Promise<SettEvent[]> {
  let pending: SettEvent[] = [];
  for (let from = (await board.readLeader())?.cursor; ; ) {
    const page = await board.readEvents(from ?? "0", pageSize);
    for (const event of page) {
      if (isRequest(event)) pending.push(event);
      else pending = pending.filter((request) => !answers(event, request));
    }
    from = page.at(-1)?.id;
    if (page.length < pageSize) return pending;
  }
}

function isRequest({ type }: SettEvent): boolean {
  return (
    type === "cancel_requested" ||
    type === "pause_requested" ||
    type === "resume_requested" ||
    type === "retry_requested"
  );
}

function answers(event: SettEvent, request: SettEvent): boolean {
  switch (event.type) {
    case "request_refused":
      return event.data?.request === request.id;
    case "goal_ended":
      return request.type === "cancel_requested" && request.goal_id === event.goal_id;
    case "instance_paused":
    case "goal_paused":
      return request.type === "pause_requested" && request.goal_id === event.goal_id;
    case "instance_resumed":
    case "goal_resumed":
      return request.type === "resume_requested" && request.goal_id === event.goal_id;
    case "claim_opened":
      return (
        request.type === "retry_requested" && event.data?.cause === `retry:${request.artefact_id}`
      );
    default:
      return false;
  }
}
