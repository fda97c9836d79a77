// OpenAI's Responses API.
import { isObject, type JsonObject, memberAt, parseJson, textAt } from "../../model/json.ts";
import { both, type Came, nothingCame, sizeOf } from "../answer-size.ts";
import { openAiUsage, thinksByEffort } from "../openai-parts.ts";
import type { ApiTraits, ReadEvent, StreamState } from "../traits.ts";
import {
  eventsOf,
  jsonText,
  listOf,
  type Part,
  type Turn,
  textPart,
  withParts,
} from "../transcript-parts.ts";

export const responses: ApiTraits = {
  provider: "openai",
  path: "/responses",
  limits: ["max_output_tokens"],
  answers: [],
  conversation: ["input", "instructions"],
  keepsAnswers: true,
  problemOf(request) {
    const items = listOf(memberAt(request, "input"));
    return items.some((item) => textAt(item, "type") === "item_reference")
      ? "The gateway cannot bound the cost of items that only the provider has. " +
          "Send them whole (`store: false`)."
      : undefined;
  },
  thinks: thinksByEffort,
  usageOf,
  writtenInAnswer,
  writtenInEvent: (event) =>
    /\.delta$/.test(textAt(event, "type")) ? [memberAt(event, "delta")] : [],
  isLast,
  readStream,
  turnsOf(request) {
    const input = memberAt(request, "input");
    const previous = textAt(request, "previous_response_id");
    const earlier = { kind: "other" as const, text: `the conversation up to answer ${previous}` };
    return withParts([
      { role: "system", parts: textPart(textAt(request, "instructions")) },
      { role: "user", parts: previous === "" ? [] : [earlier] },
      ...(typeof input === "string"
        ? [{ role: "user" as const, parts: textPart(input) }]
        : merged(listOf(input))),
    ]);
  },
  answerOf(answer) {
    const events = eventsOf(answer);
    const output =
      events === undefined ? memberAt(parseJson(answer), "output") : streamedOutput(events);
    const parts = listOf(output).flatMap((item) => turnOf(item).parts);
    return parts.length === 0 ? undefined : { role: "assistant", parts };
  },
};

function usageOf(usage: unknown) {
  return openAiUsage(usage, "input_tokens", "output_tokens");
}

function writtenInAnswer(answer: JsonObject): unknown[] {
  return [memberAt(answer, "output")];
}

function isLast(event: JsonObject): boolean {
  return /^response\.(?:completed|incomplete|failed)$/.test(textAt(event, "type"));
}

function readStream(): ReadEvent {
  /** The items that were whole so far, which repeat what has come in parts. */
  let items = nothingCame;
  return (event, seen) => {
    const response = memberAt(event, "response");
    seen.answeredModel ||= textAt(response, "model");
    seen.responseId ||= textAt(response, "id");
    if (textAt(event, "type") === "response.output_item.done") {
      items = both(items, sizeOf([memberAt(event, "item")]));
      countAtLeast(items, seen);
    }
    if (textAt(event, "type") === "error")
      seen.problem ||= textAt(event, "message") || textAt(event, "code") || undefined;
    if (!isLast(event)) return false;
    seen.usage = usageOf(memberAt(response, "usage"));
    seen.isUsageWhole = true;
    countAtLeast(sizeOf(isObject(response) ? writtenInAnswer(response) : []), seen);
    seen.problem = textAt(response, "error", "message") || seen.problem;
    return false;
  };
}

/** Some servers send no parts, and each item, or the whole answer, at its end. */
function countAtLeast(whole: Came, seen: StreamState): void {
  if (whole.bytes > seen.came.bytes) seen.came = { ...whole, pieces: seen.came.pieces };
}

/** Items of the same role in a row are one turn. */
function merged(items: readonly unknown[]): Turn[] {
  const turns: Turn[] = [];
  for (const turn of withParts(items.map(turnOf))) {
    const last = turns.at(-1);
    if (last?.role === turn.role) last.parts.push(...turn.parts);
    else turns.push({ role: turn.role, parts: [...turn.parts] });
  }
  return turns;
}

function turnOf(item: unknown): Turn {
  const type = textAt(item, "type");
  switch (type) {
    case "":
    case "message":
      return { role: roleOf(textAt(item, "role")), parts: partsOf(memberAt(item, "content")) };
    case "reasoning": {
      const thoughts = [...listOf(memberAt(item, "summary")), ...listOf(memberAt(item, "content"))];
      const text = thoughts.map((part) => textAt(part, "text")).join("\n");
      const parts: Part[] = thoughts.length === 0 ? [] : [{ kind: "reasoning", text }];
      return { role: "assistant", parts };
    }
    case "function_call":
    case "custom_tool_call": {
      const input = jsonText(memberAt(item, "arguments") ?? memberAt(item, "input") ?? "");
      const [id, name] = [textAt(item, "call_id"), textAt(item, "name")];
      return { role: "assistant", parts: [{ kind: "call", id, name, input }] };
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const output = memberAt(item, "output");
      const text = Array.isArray(output)
        ? output.map((part) => textAt(part, "text")).join("\n")
        : jsonText(output);
      const id = textAt(item, "call_id");
      return { role: "tool", parts: [{ kind: "result", id, text, isError: false }] };
    }
    default:
      return { role: "assistant", parts: [{ kind: "other", text: type }] };
  }
}

function roleOf(role: string): Turn["role"] {
  if (role === "system" || role === "developer") return "system";
  return role === "assistant" ? "assistant" : "user";
}

function partsOf(content: unknown): Part[] {
  if (typeof content === "string") return textPart(content);
  return listOf(content).flatMap((part): Part[] => {
    const text = textAt(part, "text") || textAt(part, "refusal");
    return text === "" ? [{ kind: "other", text: textAt(part, "type") }] : textPart(text);
  });
}

/** The whole output of a stream that has ended, else its items that were whole, else its text. */
function streamedOutput(events: readonly object[]): readonly unknown[] {
  const typed = (type: string) => events.filter((event) => textAt(event, "type") === type);
  const last = typed("response.completed")[0] ?? typed("response.incomplete")[0];
  const whole = listOf(memberAt(last, "response", "output"));
  if (whole.length > 0) return whole;
  const items = typed("response.output_item.done").map((event) => memberAt(event, "item"));
  if (items.length > 0) return items;
  const text = typed("response.output_text.delta").map((event) => textAt(event, "delta"));
  return [{ type: "message", role: "assistant", content: text.join("") }];
}
