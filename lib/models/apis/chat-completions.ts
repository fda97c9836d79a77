// The Chat Completions API, OpenAI's and that of the many servers that are compatible with it.
import {
  countAt,
  isObject,
  type JsonObject,
  memberAt,
  parseJson,
  textAt,
} from "../../model/json.ts";
import { openAiUsage, thinksByEffort } from "../openai-parts.ts";
import type { ApiTraits, ReadEvent } from "../traits.ts";
import {
  eventsOf,
  jsonText,
  listOf,
  type Part,
  type Turn,
  textPart,
  withParts,
} from "../transcript-parts.ts";

export const chatCompletions: ApiTraits = {
  provider: "openai",
  path: "/chat/completions",
  // OpenAI does not know the last ones: they are of servers that are compatible with it.
  limits: ["max_tokens", "max_completion_tokens", "n_predict"],
  answers: ["n", "best_of"],
  conversation: ["messages"],
  thinks: thinksByEffort,
  wishForUsage(request) {
    const options = memberAt(request, "stream_options");
    if (memberAt(options, "include_usage") === true) return undefined;
    const wish = { ...(isObject(options) ? options : {}), include_usage: true };
    return { stream_options: JSON.stringify(wish) };
  },
  usageOf,
  writtenInAnswer: writtenIn,
  writtenInEvent: writtenIn,
  isLast: () => false,
  readStream: () => readEvent,
  turnsOf: (request) => withParts(listOf(memberAt(request, "messages")).map(turnOf)),
  answerOf(answer) {
    const events = eventsOf(answer);
    const [choice] = listOf(memberAt(parseJson(answer), "choices"));
    const parts =
      events === undefined ? partsOfMessage(memberAt(choice, "message")) : streamedParts(events);
    return parts.length === 0 ? undefined : { role: "assistant", parts };
  },
};

function usageOf(usage: unknown) {
  return openAiUsage(usage, "prompt_tokens", "completion_tokens");
}

/** Some servers stream whole messages, and some repeat beside each part all that has come. */
function writtenIn(answer: JsonObject): unknown[] {
  return listOf(memberAt(answer, "choices")).flatMap((choice) => [
    ...wordsOf(memberAt(choice, "delta") ?? memberAt(choice, "message")),
    memberAt(choice, "text"),
  ]);
}

/** Some servers have the same thoughts under several names. */
function wordsOf(message: unknown): unknown[] {
  if (!isObject(message)) return [message];
  const { reasoning_content, reasoning, reasoning_details, ...rest } = message;
  return [rest, reasoning_content || reasoning || reasoning_details];
}

const readEvent: ReadEvent = (event, seen) => {
  seen.answeredModel ||= textAt(event, "model");
  const choices = memberAt(event, "choices");
  if (listOf(choices).some((choice) => textAt(choice, "finish_reason") !== "")) seen.mayEnd = true;
  const usage = usageOf(memberAt(event, "usage"));
  if (usage === undefined) return false;
  seen.usage = usage;
  seen.isUsageWhole = true;
  return Array.isArray(choices) && choices.length === 0;
};

function turnOf(message: unknown): Turn {
  const role = textAt(message, "role");
  if (role === "tool" || role === "function") {
    const texts = partsOf(memberAt(message, "content")).map((part) =>
      "text" in part ? part.text : "",
    );
    const id = textAt(message, "tool_call_id");
    return {
      role: "tool",
      parts: [{ kind: "result", id, text: texts.join("\n"), isError: false }],
    };
  }
  const parts = partsOfMessage(message);
  if (role === "system" || role === "developer") return { role: "system", parts };
  return { role: role === "assistant" ? "assistant" : "user", parts };
}

function partsOfMessage(message: unknown): Part[] {
  const reasoning = textAt(message, "reasoning_content") || textAt(message, "reasoning");
  return [
    ...(reasoning === "" ? [] : [{ kind: "reasoning" as const, text: reasoning }]),
    ...partsOf(memberAt(message, "content")),
    ...textPart(textAt(message, "refusal")),
    ...listOf(memberAt(message, "tool_calls")).map(callPart),
  ];
}

function partsOf(content: unknown): Part[] {
  if (typeof content === "string") return textPart(content);
  return listOf(content).flatMap((part): Part[] => {
    const type = textAt(part, "type");
    return type === "text" || type === "refusal"
      ? textPart(textAt(part, type))
      : [{ kind: "other", text: type }];
  });
}

function callPart(call: unknown): Part {
  const input = jsonText(memberAt(call, "function", "arguments") ?? "");
  return { kind: "call", id: textAt(call, "id"), name: textAt(call, "function", "name"), input };
}

function streamedParts(events: readonly JsonObject[]): Part[] {
  const [texts, reasonings] = [[] as string[], [] as string[]];
  const calls = new Map<number, { id: string; name: string; input: string }>();
  for (const event of events) {
    const [choice] = listOf(memberAt(event, "choices"));
    const delta = memberAt(choice, "delta");
    texts.push(textAt(delta, "content"), textAt(delta, "refusal"));
    reasonings.push(textAt(delta, "reasoning_content") || textAt(delta, "reasoning"));
    for (const call of listOf(memberAt(delta, "tool_calls"))) {
      const index = countAt(call, "index");
      const known = calls.get(index) ?? { id: "", name: "", input: "" };
      calls.set(index, {
        id: known.id || textAt(call, "id"),
        name: known.name || textAt(call, "function", "name"),
        input: known.input + textAt(call, "function", "arguments"),
      });
    }
  }
  const reasoning = reasonings.join("");
  return [
    ...(reasoning === "" ? [] : [{ kind: "reasoning" as const, text: reasoning }]),
    ...textPart(texts.join("")),
    ...[...calls.values()].map((call) => ({ kind: "call" as const, ...call })),
  ];
}
