// The ids of a goal's trace (W3C Trace Context). They follow from ids on the blackboard, so that
// each program finds them by itself.
import { hash } from "node:crypto";

/** The goal's UUID as 32 hexadecimal digits. */
export function traceIdOf(goal: string): string {
  return goal.replaceAll("-", "");
}

/**
 * The id of each span is made of these; docs/guides/telemetry.md#ids-of-spans has the same list.
 */
export const spanKeys = {
  goal: (goal: string) => `goal:${goal}`,
  claim: (claim: string) => `claim:${claim}`,
  bids: (claim: string) => `bids:${claim}`,
  grant: (claim: string, agent: string) => `grant:${claim}:${agent}`,
  attempt: (claim: string, agent: string, attempt: number) =>
    `attempt:${claim}:${agent}:${attempt}`,
  tool: (claim: string, agent: string, attempt: number) => `tool:${claim}:${agent}:${attempt}`,
  modelCall: (call: string) => `call:${call}`,
};

/**
 * The first 8 bytes of the key's SHA-256, in hexadecimal: `printf %s KEY | sha256sum | cut -c1-16`.
 */
export function spanIdOf(key: string): string {
  return hash("sha256", key, "hex").slice(0, 16);
}

/** A run of an agent's command. */
export type Run = { goal: string; claim: string; agent: string; attempt: number };

/**
 * The header `traceparent`, and the variable `TRACEPARENT`, of what a run of a command begins
 * itself.
 */
export function traceparentOf({ goal, claim, agent, attempt }: Run): string {
  return `00-${traceIdOf(goal)}-${spanIdOf(spanKeys.tool(claim, agent, attempt))}-01`;
}
