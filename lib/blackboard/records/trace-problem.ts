// Why traces do not reach their collector, as the API keeps it in the blackboard, beside its
// replies.
import { z } from "zod";
import { parseJson } from "../../model/json.ts";

/** Its place among the replies of the API; those to clients have a digest as theirs. */
export const traceProblemKey = "traces";

/** A program that has gone says nothing more: what it said last is soon forgotten. */
export const traceProblemMs = 60_000;

/**
 * `to`: the address of the collector, without a password. `status`: what it answers; without it
 * nothing has answered.
 */
const TraceProblem = z.strictObject({
  to: z.string(),
  since: z.iso.datetime(),
  reason: z.string(),
  status: z.int().optional(),
});
export type TraceProblem = z.infer<typeof TraceProblem>;

/** Whether a repetition changes nothing; a collector that is busy answers 429 or 503. */
export function isRefusedBy(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Undefined where there is none, or it cannot be read. */
export function traceProblemOf(text: string | null | undefined): TraceProblem | undefined {
  return TraceProblem.safeParse(parseJson(text ?? "null")).data;
}
