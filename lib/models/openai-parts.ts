// The parts that OpenAI's two APIs have in common.
import type { MeasuredUsage } from "./cost.ts";
import { countAt, hasCount, type JsonObject, textAt } from "./json.ts";

/** `input`, `output`: the names of the counts. */
export function openAiUsage(usage: unknown, input: string, output: string) {
  if (!hasCount(usage, [input, output])) return undefined;
  const measured: MeasuredUsage = {
    input: countAt(usage, input),
    output: countAt(usage, output),
    cached: countAt(usage, `${input}_details`, "cached_tokens"),
    cache_write: 0,
    reasoning: countAt(usage, `${output}_details`, "reasoning_tokens"),
    long_cache_write: 0,
  };
  return measured;
}

export function thinksByEffort(request: JsonObject, model: string): boolean {
  const effort = textAt(request, "reasoning_effort") || textAt(request, "reasoning", "effort");
  if (effort !== "") return effort !== "none";
  return /(?:^|\/)(?:o\d|gpt-[5-9]|codex)|reason|think/i.test(model);
}
