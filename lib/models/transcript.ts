// The conversation of an agent with its model, put together from the bodies of its calls. Pure;
// nothing about a body's shape is certain.
import { parseJson } from "../model/json.ts";
import type { ModelApi } from "../model/model-call.ts";
import { apis } from "./apis.ts";
import type { Turn } from "./transcript-parts.ts";

/** One call with its bodies as text; undefined where they were not kept, or are binary. */
export type CallBodies = { api: ModelApi; request: string | undefined; answer: string | undefined };

/**
 * `turns`: what the last call has sent, then what it was answered. `calls`: which of the calls, in
 * order. `isAnswered`: false where the last answer is missing or cannot be read.
 */
export type Conversation = { turns: Turn[]; calls: number[]; isAnswered: boolean };

/**
 * The calls in order of time, as conversations: a call whose request begins with the request of an
 * earlier call continues that conversation. Calls without a readable request are in none.
 */
export function conversationsOf(calls: readonly CallBodies[]): Conversation[] {
  const found: { conversation: Conversation; sent: string[] }[] = [];
  for (const [index, { api, request, answer }] of calls.entries()) {
    if (api === "other" || request === undefined) continue;
    const turns = apis[api].turnsOf(parseJson(request));
    if (turns.length === 0) continue;
    const sent = turns.map((turn) => JSON.stringify(turn));
    const answered = answer === undefined ? undefined : apis[api].answerOf(answer);
    const before = found.findLast((one) => isBeginning(one.sent, sent));
    const conversation = {
      turns: answered === undefined ? turns : [...turns, answered],
      calls: [...(before?.conversation.calls ?? []), index],
      isAnswered: answered !== undefined,
    };
    if (before === undefined) found.push({ conversation, sent });
    else Object.assign(before, { conversation, sent });
  }
  return found.map(({ conversation }) => conversation);
}

function isBeginning(start: readonly string[], whole: readonly string[]): boolean {
  return start.length <= whole.length && start.every((turn, index) => turn === whole[index]);
}
