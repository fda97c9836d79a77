// Reserves the worst case of a call in its budgets, and says why where that cannot be.
import { aborted } from "../../lib/async/sleep.ts";
import { nanosPerUsd } from "../../lib/model/amounts.ts";
import type { Exhausted, OpenCall } from "../../lib/model/model-call.ts";
import { payerName } from "../../lib/model/payer-name.ts";
import { awayError, tokenError } from "./admit.ts";
import { ClientError } from "./client-error.ts";
import type { OpenCalls } from "./open-calls.ts";

/**
 * It waits for the ends of calls under way, where only they stand in the way: most of them cost
 * less than they have reserved. `stop` is aborted when the call's time is up. Throws a ClientError.
 */
export async function reserve(
  open: OpenCalls,
  order: Parameters<OpenCalls["reserve"]>[0],
  stop: AbortController,
  unlimitedOutput?: number,
): Promise<{ call: OpenCall; isLost: boolean }> {
  const result = await inTime(open, order, stop).catch(awayError);
  switch (result.outcome) {
    case "reserved":
      return { call: result.call, isLost: false };
    case "lost":
      return { call: result.call, isLost: true };
    case "refused":
      throw tokenError(result);
    case "exhausted": {
      const { outcome: _, ...exhausted } = result;
      const headers = { "x-sett-budget": JSON.stringify({ refusal: order.call.id, ...exhausted }) };
      throw new ClientError(402, "budget-exceeded", sentenceOf(exhausted, unlimitedOutput), {
        headers,
      });
    }
  }
}

async function inTime(
  open: OpenCalls,
  order: Parameters<OpenCalls["reserve"]>[0],
  stop: AbortController,
) {
  const over = aborted(stop.signal);
  for (;;) {
    const { change } = open;
    const result = await open.reserve(order, stop);
    if (result.outcome !== "exhausted" || !maySuffice(result) || stop.signal.aborted) return result;
    await Promise.race([change, over]);
  }
}

/** Whether the budget allows the call if those under way turn out to cost nothing. */
function maySuffice({ limit, spent, reserved, needed }: Exhausted): boolean {
  return reserved > 0 && spent + needed <= limit;
}

/**
 * A person can raise the budget with `sett budget`. `output`: how many tokens of answer the call
 * reserves, where its request names no limit of its own.
 */
export function sentenceOf(
  { scope, whose, kind, limit, spent, reserved, needed }: Exhausted,
  output?: number,
): string {
  const amount = (value: number) =>
    kind === "nanousd" ? `$${(value / nanosPerUsd).toFixed(4)}` : `${value} ${kind}`;
  const whole = namesOf[scope];
  const owner = whose === undefined ? whole : `${whole} of ${payerName(whose)}`;
  const remedy =
    output === undefined || kind === "calls"
      ? ""
      : ` It names no limit of its answer, which may have ${output} tokens: \`max_output\` of the model in sett.yml makes that less.`;
  const underWay = reserved === 0 ? "" : `, ${amount(reserved)} are reserved for calls under way`;
  return (
    `${owner} does not allow this call: of ${amount(limit)}, ${amount(spent)} are spent${underWay}, and this call may need ` +
    `${amount(needed)}.${remedy} A person can raise it with \`sett budget\`.`
  );
}

const namesOf: Readonly<Record<Exhausted["scope"], string>> = {
  goal: "The budget of the goal",
  grant: "The budget of this agent's work on the claim",
  day: "The budget for this day",
  month: "The budget for this month",
};
