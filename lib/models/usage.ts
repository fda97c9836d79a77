// The usage that a provider reports, in our words.

import type { MeasuredUsage } from "./cost.ts";
import { countAt, isObject, memberAt } from "./json.ts";
import type { CostlyApi } from "./request.ts";

/** `usage`: the member of that name in an answer of the API. Undefined where it reports none. */
export function usageOf(api: CostlyApi, usage: unknown): MeasuredUsage | undefined {
  if (!isObject(usage)) return undefined;
  switch (api) {
    case "messages": {
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
    case "chat":
      if (!hasCount(usage, ["prompt_tokens", "completion_tokens"])) return undefined;
      return ofOpenAi(usage, ["prompt_tokens", "completion_tokens"]);
    case "responses":
      if (!hasCount(usage, ["input_tokens", "output_tokens"])) return undefined;
      return ofOpenAi(usage, ["input_tokens", "output_tokens"]);
  }
}

/** What is no number of tokens is no report: the call is then charged what it may have cost. */
function hasCount(usage: unknown, names: readonly string[]): boolean {
  return names.some((name) => {
    const count = memberAt(usage, name);
    return typeof count === "number" && count >= 0;
  });
}

function ofOpenAi(usage: unknown, [input, output]: readonly [string, string]): MeasuredUsage {
  return {
    input: countAt(usage, input),
    output: countAt(usage, output),
    cached: countAt(usage, `${input}_details`, "cached_tokens"),
    cache_write: 0,
    reasoning: countAt(usage, `${output}_details`, "reasoning_tokens"),
    long_cache_write: 0,
  };
}
