// Turns of the Responses API: from a request, and from an answer, streamed or not.
import { memberAt, parseJson, textAt } from "./json.ts";
import {
  eventsOf,
  jsonText,
  listOf,
  type Part,
  type Turn,
  textPart,
  withParts,
} from "./transcript-parts.ts";

export function turnsOfResponses(request: unknown): Turn[] {
  const input = memberAt(request, "input");
  const previous = textAt(request, "previous_response_id");
  const earlier =
    previous === ""
      ? []
      : [{ kind: "other" as const, text: `the conversation up to answer ${previous}` }];
  const items =
    typeof input === "string"
      ? [{ role: "user" as const, parts: textPart(input) }]
      : merged(listOf(input));
  return withParts([
    { role: "system", parts: textPart(textAt(request, "instructions")) },
    { role: "user", parts: earlier },
    ...items,
  ]);
}

/** Undefined where it has no output: an error, or something else. */
export function answerOfResponses(answer: string): Turn | undefined {
  const events = eventsOf(answer);
  const output =
    events === undefined ? memberAt(parseJson(answer), "output") : streamedOutput(events);
  const parts = listOf(output).flatMap((item) => turnOf(item).parts);
  return parts.length === 0 ? undefined : { role: "assistant", parts };
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
      const text = [...listOf(memberAt(item, "summary")), ...listOf(memberAt(item, "content"))].map(
        (part) => textAt(part, "text"),
      );
      return {
        role: "assistant",
        parts: text.length === 0 ? [] : [{ kind: "reasoning", text: text.join("\n") }],
      };
    }
    case "function_call":
    case "custom_tool_call": {
      const input = jsonText(memberAt(item, "arguments") ?? memberAt(item, "input") ?? "");
      return {
        role: "assistant",
        parts: [{ kind: "call", id: textAt(item, "call_id"), name: textAt(item, "name"), input }],
      };
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const output = memberAt(item, "output");
      const text = Array.isArray(output)
        ? output.map((part) => textAt(part, "text")).join("\n")
        : jsonText(output);
      return {
        role: "tool",
        parts: [{ kind: "result", id: textAt(item, "call_id"), text, isError: false }],
      };
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

/**
 * The whole output where the stream has come to its end, else the items that were whole, else the
 * text so far.
 */
function streamedOutput(events: readonly object[]): readonly unknown[] {
  const typed = (type: string) => events.filter((event) => textAt(event, "type") === type);
  const whole = listOf(
    memberAt(
      typed("response.completed")[0] ?? typed("response.incomplete")[0],
      "response",
      "output",
    ),
  );
  if (whole.length > 0) return whole;
  const items = typed("response.output_item.done").map((event) => memberAt(event, "item"));
  if (items.length > 0) return items;
  const text = typed("response.output_text.delta").map((event) => textAt(event, "delta"));
  return [{ type: "message", role: "assistant", content: text.join("") }];
}
