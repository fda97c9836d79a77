// Charges a call of a tool whose server has a price in sett.yml, before it is made.
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { Deps } from "../deps.ts";
import { sentenceOf } from "../reserve.ts";
import type { ToolCaller } from "./tool-names.ts";

/** The budgets are those of models. `agents`: each may have one for its grants. */
export type ToolBudgets = Pick<Deps, "goalBudget" | "spendingLimits" | "agents">;

type ChargeDeps = Pick<Deps, "board" | "newId" | "clock"> & { budgets: ToolBudgets };

/** `sentence`: why the call may not be made. What is charged stays so, whatever becomes of it. */
export async function chargeCall(
  { board, newId, clock, budgets }: ChargeDeps,
  { caller, token }: ToolCaller,
  { server, nanousd }: { server: string; nanousd: number | undefined },
): Promise<{ nanousd: number | undefined } | { sentence: string }> {
  if (nanousd === undefined) return { nanousd };
  const charge = { id: newId(), server, nanousd, started_at: clock.now().toISOString() };
  const grant = budgets.agents.get(token.agent)?.budget ?? {};
  const limits = { goal: budgets.goalBudget, grant, spending: budgets.spendingLimits };
  const reply = await board.chargeTool({ goal: caller.goal_id, token, charge, limits });
  switch (reply.outcome) {
    case "charged":
      return { nanousd };
    case "exhausted":
      return { sentence: sentenceOf(reply) };
    case "refused":
      return { sentence: `The call is not allowed any more: ${reply.reason}` };
    default:
      return unreachable(reply);
  }
}
