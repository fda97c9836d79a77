// Anthropic's Messages API.
import {
  countAt,
  hasCount,
  isObject,
  type JsonObject,
  memberAt,
  objectOf,
  parseJson,
  textAt,
} from "../../model/json.ts";
import type { MeasuredUsage } from "../cost.ts";
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

export const messages: ApiTraits = {
  provider: "anthropic",
  path: "/messages",
  countPath: "/messages/count_tokens",
  limits: ["max_tokens"],
  answers: [],
  conversation: ["messages", "system"],
  thinks: (request) => ["enabled", "adaptive"].includes(textAt(request, "thinking", "type")),
  usageOf,
  writtenInAnswer: (answer) => [memberAt(answer, "content")],
  writtenInEvent: (event) => [memberAt(event, "delta"), memberAt(event, "content_block")],
  isLast: (event) => textAt(event, "type") === "message_stop",
  readStream,
  turnsOf(request) {
    const turns = listOf(memberAt(request, "messages")).flatMap((message) => turnsIn(message));
    return withParts([{ role: "system", parts: partsOf(memberAt(request, "system")) }, ...turns]);
  },
  answerOf(answer) {
    const events = eventsOf(answer);
    const parts =
      events === undefined
        ? partsOf(memberAt(parseJson(answer), "content"))
        : streamedParts(events);
    return parts.length === 0 ? undefined : { role: "assistant", parts };
  },
};

/** The input is reported without what comes from the cache, or goes there. */
function usageOf(usage: unknown): MeasuredUsage | undefined {
  if (!hasCount(usage, ["input_tokens", "output_tokens"])) return undefined;
  const cached = countAt(usage, "cache_read_input_tokens");
  const cache_write = countAt(usage, "cache_creation_input_tokens");
  return {
    input: countAt(usage, "input_tokens") + cached + cache_write,
    output: countAt(usage, "output_tokens"),
    cached,
    cache_write,
    reasoning: countAt(usage, "output_tokens_details", "thinking_tokens"),
    long_cache_write: countAt(usage, "cache_creation", "ephemeral_1h_input_tokens"),
  };
}

function readStream(): ReadEvent {
  /** The usage at the beginning, which the end repeats only in part. */
  let begun: unknown;
  return (event, seen) => {
    const type = textAt(event, "type");
    if (type === "message_start") {
      begun = memberAt(event, "message", "usage");
      seen.usage = usageOf(begun);
      seen.answeredModel = textAt(event, "message", "model");
    } else if (type === "message_delta" && isObject(memberAt(event, "usage"))) {
      seen.usage = usageOf({ ...objectOf(begun), ...numbersOf(memberAt(event, "usage")) });
      seen.isComplete = true;
      seen.isUsageWhole = true;
    }
    return false;
  };
}

/** Some servers repeat at the end what they have said at the beginning, as null. */
function numbersOf(usage: unknown): JsonObject {
  const members = Object.entries(objectOf(usage) ?? {});
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

/** The results of tools are a turn of their own, although the API has them in the user's. */
function turnsIn(message: unknown): Turn[] {
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
    case "server_tool_use": {
      const input = jsonText(memberAt(block, "input") ?? {});
      return [{ kind: "call", id: textAt(block, "id"), name: textAt(block, "name"), input }];
    }
    case "tool_result": {
      const texts = partsOf(memberAt(block, "content")).map((part) =>
        "text" in part ? part.text : "",
      );
      const isError = memberAt(block, "is_error") === true;
      const id = textAt(block, "tool_use_id");
      return [{ kind: "result", id, text: texts.join("\n"), isError }];
    }
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
