// Turns of the Chat Completions API: from a request, and from an answer, streamed or not.
import { countAt, type JsonObject, memberAt, parseJson, textAt } from "./json.ts";
import {
  eventsOf,
  jsonText,
  listOf,
  type Part,
  type Turn,
  textPart,
  withParts,
} from "./transcript-parts.ts";

export function turnsOfChat(request: unknown): Turn[] {
  return withParts(listOf(memberAt(request, "messages")).map(turnOf));
}

/** Undefined where it has no message: an error, or something else. */
export function answerOfChat(answer: string): Turn | undefined {
  const events = eventsOf(answer);
  const [choice] = listOf(memberAt(parseJson(answer), "choices"));
  const parts =
    events === undefined ? partsOfMessage(memberAt(choice, "message")) : streamedParts(events);
  return parts.length === 0 ? undefined : { role: "assistant", parts };
}

function turnOf(message: unknown): Turn {
  const role = textAt(message, "role");
  if (role === "tool" || role === "function") {
    const text = partsOf(memberAt(message, "content"))
      .map((part) => ("text" in part ? part.text : ""))
      .join("\n");
    return {
      role: "tool",
      parts: [{ kind: "result", id: textAt(message, "tool_call_id"), text, isError: false }],
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
