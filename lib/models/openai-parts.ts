// The parts that OpenAI's two APIs have in common.
import { countAt, hasCount, type JsonObject, memberAt, textAt } from "../model/json.ts";
import type { MeasuredUsage } from "./cost.ts";

/** `input`, `output`: the names of the counts. */
export function openAiUsage(usage: unknown, input: string, output: string) {
  if (!hasCount(usage, [input, output])) return undefined;
  const [sent, written] = [countAt(usage, input), countAt(usage, output)];
  const details = memberAt(usage, `${input}_details`);
  const cached = countOf([details, usage], namesOfCached);
  const cache_write = countOf([details, usage], namesOfCacheWrites);
  const reasoning = countAt(usage, `${output}_details`, "reasoning_tokens");
  const counts = { sent, written, cached, cache_write, reasoning, usage };
  const measured: MeasuredUsage = {
    input: sent,
    output: written + thoughtsApart(counts),
    cached,
    cache_write,
    reasoning,
    long_cache_write: countOf([details, usage].map(partsOfCacheWrites), namesOfLongCacheWrites),
  };
  return measured;
}

/** OpenAI's own name, and those of servers that are compatible with it, also for other models. */
const namesOfCached = [
  ...["cached_tokens", "cache_read_tokens", "cache_read_input_tokens"],
  "prompt_cache_hit_tokens",
];
const namesOfCacheWrites = [
  ...["cache_write_tokens", "cached_write_tokens", "cache_creation_tokens"],
  "cache_creation_input_tokens",
];
const namesOfLongCacheWrites = ["ephemeral_1h_input_tokens"];

/** One count has one of several names, in one of several places; where servers repeat it, once. */
function countOf(places: readonly unknown[], names: readonly string[]): number {
  return Math.max(...places.flatMap((place) => names.map((name) => countAt(place, name))));
}

function partsOfCacheWrites(place: unknown): unknown {
  return memberAt(place, "cache_creation_token_details") ?? memberAt(place, "cache_creation");
}

type Counts = Pick<MeasuredUsage, "cached" | "cache_write" | "reasoning"> & {
  sent: number;
  written: number;
  usage: unknown;
};

/**
 * Some servers leave the thoughts out of the count of the answer, and take the same price for them:
 * the total has them, or they are more than the answer that they would be a part of.
 */
function thoughtsApart(counts: Counts): number {
  const { sent, written, cached, cache_write, reasoning, usage } = counts;
  const more = countAt(usage, "total_tokens") - sent - written;
  const ofCache = [cached, cache_write, cached + cache_write];
  if (more > 0 && !ofCache.includes(more)) return more;
  return reasoning > written ? reasoning : 0;
}

export function thinksByEffort(request: JsonObject, model: string): boolean {
  const effort = textAt(request, "reasoning_effort") || textAt(request, "reasoning", "effort");
  if (effort !== "") return effort !== "none";
  const isWished =
    countAt(request, "reasoning", "max_tokens") > 0 ||
    textAt(request, "thinking", "type") === "enabled";
  return isWished || thinking.test(model);
}

/** The names of models that think without being asked to, and do not send their thoughts. */
const thinking =
  /(?:^|\/)(?:o\d|gpt-[5-9]|codex|gemini-(?:2\.5|[3-9])|grok-(?:3-mini|[4-9]))|reason|think/i;
