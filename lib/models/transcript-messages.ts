// Turns of Anthropic's Messages API: from a request, and from an answer, streamed or not.
import { countAt, type JsonObject, memberAt, objectOf, parseJson, textAt } from "./json.ts";
import {
  eventsOf,
  jsonText,
  listOf,
  type Part,
  type Turn,
  textPart,
  withParts,
} from "./transcript-parts.ts";

export function turnsOfMessages(request: unknown): Turn[] {
  const messages = listOf(memberAt(request, "messages")).flatMap((message) => turnsOf(message));
  return withParts([{ role: "system", parts: partsOf(memberAt(request, "system")) }, ...messages]);
}

/** Undefined where it has no content: an error, or something else. */
export function answerOfMessages(answer: string): Turn | undefined {
  const events = eventsOf(answer);
  const parts =
    events === undefined ? partsOf(memberAt(parseJson(answer), "content")) : streamedParts(events);
  return parts.length === 0 ? undefined : { role: "assistant", parts };
}

/**
 * The results of tools are a turn of their own, although the API has them among what the user says.
 */
function turnsOf(message: unknown): Turn[] {
  const parts = partsOf(memberAt(message, "content"));
  if (textAt(message, "role") === "assistant") return [{ role: "assistant", parts }];
  const results = parts.filter(({ kind }) => kind === "result");
  const rest = parts.filter(({ kind }) => kind !== "result");
  return withParts([
    { role: "tool", parts: results },
    { role: "user", parts: rest },
  ]);
}

function partsOf(content: unknown): Part[] {
  return typeof content === "string" ? textPart(content) : listOf(content).flatMap(partOf);
}

function partOf(block: unknown): Part[] {
  const type = textAt(block, "type");
  switch (type) {
    case "text":
      return textPart(textAt(block, "text"));
    case "thinking":
      return [{ kind: "reasoning", text: textAt(block, "thinking") }];
    case "tool_use":
    case "server_tool_use":
      return [
        {
          kind: "call",
          id: textAt(block, "id"),
          name: textAt(block, "name"),
          input: jsonText(memberAt(block, "input") ?? {}),
        },
      ];
    case "tool_result":
      return [
        {
          kind: "result",
          id: textAt(block, "tool_use_id"),
          text: partsOf(memberAt(block, "content"))
            .map((part) => ("text" in part ? part.text : ""))
            .join("\n"),
          isError: memberAt(block, "is_error") === true,
        },
      ];
    default:
      return [{ kind: "other", text: type === "" ? "something that cannot be read" : type }];
  }
}

function streamedParts(events: readonly JsonObject[]): Part[] {
  const blocks = new Map<number, { block: JsonObject; text: string }>();
  for (const event of events) {
    const index = countAt(event, "index");
    const type = textAt(event, "type");
    if (type === "content_block_start")
      blocks.set(index, { block: objectOf(memberAt(event, "content_block")) ?? {}, text: "" });
    const block = blocks.get(index);
    if (type !== "content_block_delta" || block === undefined) continue;
    for (const name of ["text", "thinking", "partial_json"])
      block.text += textAt(event, "delta", name);
  }
  return [...blocks.values()].flatMap(({ block, text }) => partOf(filled(block, text)));
}

/** The block with what its deltas have added. */
function filled(block: JsonObject, text: string): JsonObject {
  const type = textAt(block, "type");
  if (type === "text" || type === "thinking")
    return { ...block, [type]: textAt(block, type) + text };
  return type.endsWith("tool_use") && text !== "" ? { ...block, input: text } : block;
}
