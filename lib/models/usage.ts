// The usage that a provider reports, in our words.

import type { MeasuredUsage } from "./cost.ts";
import { countAt, isObject, memberAt } from "./json.ts";
import type { CostlyApi } from "./request.ts";

/** `usage`: the member of that name in an answer of the API. Undefined where it reports none. */
export function usageOf(api: CostlyApi, usage: unknown): MeasuredUsage | undefined {
  if (!isObject(usage)) return undefined;
  switch (api) {
    case "messages": {
      if (memberAt(usage, "input_tokens") === undefined && memberAt(usage, "output_tokens") === undefined) return undefined;
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
      if (memberAt(usage, "prompt_tokens") === undefined && memberAt(usage, "completion_tokens") === undefined) return undefined;
      return ofOpenAi(usage, ["prompt_tokens", "completion_tokens"]);
    case "responses":
      if (memberAt(usage, "input_tokens") === undefined && memberAt(usage, "output_tokens") === undefined) return undefined;
      return ofOpenAi(usage, ["input_tokens", "output_tokens"]);
  }
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
