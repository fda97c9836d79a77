// The text of an agent's message, as the message that it is, or why it is none.
import { SentMessage, unreadMessage } from "../../../lib/blackboard/port/mail.ts";
import { boundProblem } from "../../../lib/core/json-text.ts";
import { clauseOf } from "../../../lib/model/errors.ts";
import { maxTextDepth, mayHaveTextProblem, textProblem } from "../../../lib/model/text-problem.ts";

/** Around the metadata of a result come the artefact, the result, the message, its sender. */
const maxDepth = maxTextDepth + 4;

/**
 * Metadata and pieces of a MiB each have no more. An agent chooses the message, and all other
 * agents wait while it is parsed.
 */
const bounds = { values: 1_500_000, names: 500_000 };

export type ReadMessage = { ok: true; value: SentMessage } | { ok: false; reason: string };

export function readMessage(text: string): ReadMessage {
  const costly = boundProblem(text, bounds);
  if (costly !== undefined) return { ok: false, reason: `${unreadMessage}: it ${costly}.` };
  try {
    const json: unknown = JSON.parse(text);
    const problem = mayHaveTextProblem(text) ? textProblem(json, { maxDepth }) : undefined;
    if (problem !== undefined) return { ok: false, reason: `${unreadMessage}: it ${problem}.` };
    const { success, data, error } = SentMessage.safeParse(json);
    if (success) return { ok: true, value: data };
    const { path, message } = error.issues[0] ?? { path: [], message: "" };
    return {
      ok: false,
      reason: `${unreadMessage}: ${path.join(".") || "it"}: ${message}.`,
    };
  } catch (error) {
    return { ok: false, reason: `${unreadMessage}: ${clauseOf(error)}.` };
  }
}
