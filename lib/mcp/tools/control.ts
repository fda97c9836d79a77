// Tools that steer: cancel a goal, retry a claim that has failed.
import { z } from "zod";
import { cancelGoal, retryFailure } from "../../client/actions/control.ts";
import { resolveFailure, resolveGoalId } from "../../client/facts/resolve-id.ts";
import { type Call, defineTool, ends, writes } from "./tool.ts";

export const cancel = defineTool({
  name: "cancel_goal",
  title: "Cancel a goal",
  description: "Cancels a goal and all work on it. It cannot be undone.",
  right: "control",
  annotations: ends,
  args: { goal: z.string().describe("The goal's id.") },
  async run({ goal }, call) {
    const { board, suggest } = call.asker;
    const id = await resolveGoalId(board, goal, suggest);
    call.about(id);
    return await cancelGoal(askerOf(call), id, call.actor);
  },
});

export const retry = defineTool({
  name: "retry_failure",
  title: "Retry a Failure",
  description: "Starts the work again that ended with a Failure.",
  right: "control",
  annotations: writes,
  args: { failure: z.string().describe("The Failure's id, as read_goal has it.") },
  async run({ failure }, call) {
    const { board, suggest } = call.asker;
    const found = await resolveFailure(board, failure, suggest);
    call.about(found.goal_id);
    const { claim } = await retryFailure(askerOf(call), found, call.actor);
    return { claim_id: claim };
  },
});

function askerOf({ asker, signal }: Call) {
  return { ...asker, signal };
}
