// What a message is answered, by what became of it.
import type { Reply } from "../../../lib/blackboard/port/mail.ts";
import type { Refused } from "../../../lib/blackboard/port/refused.ts";

export function replyOf(answer: { outcome: string } | Refused): Reply {
  return "reason" in answer ? noOf(answer) : { outcome: "yes" };
}

export function noOf({ reason }: Refused): Reply {
  return no(reason);
}

export function no(reason: string): Reply {
  return { outcome: "no", reason };
}
