// The parts that OpenAI's two APIs have in common.
import type { MeasuredUsage } from "./cost.ts";
import { countAt, hasCount, type JsonObject, textAt } from "./json.ts";

/** `input`, `output`: the names of the counts. */
export function openAiUsage(usage: unknown, input: string, output: string) {
  if (!hasCount(usage, [input, output])) return undefined;
  const [sent, written] = [countAt(usage, input), countAt(usage, output)];
  const cached = countAt(usage, `${input}_details`, "cached_tokens");
  const reasoning = countAt(usage, `${output}_details`, "reasoning_tokens");
  const measured: MeasuredUsage = {
    input: sent,
    output: written + thoughtsApart({ sent, written, cached, reasoning, usage }),
    cached,
    cache_write: 0,
    reasoning,
    long_cache_write: 0,
  };
  return measured;
}

type Counts = { sent: number; written: number; cached: number; reasoning: number; usage: unknown };

/**
 * Some servers leave the thoughts out of the count of the answer, and take the same price for them:
 * the total has them, or they are more than the answer that they would be a part of.
 */
function thoughtsApart({ sent, written, cached, reasoning, usage }: Counts): number {
  const more = countAt(usage, "total_tokens") - sent - written;
  if (more > 0 && more !== cached) return more;
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
