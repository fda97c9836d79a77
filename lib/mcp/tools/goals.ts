// Tools about goals: post one, wait for it, read it, list them.

import { z } from "zod";
import { checkedText, textKinds } from "../../client/actions/checked-text.ts";
import { goalSummary, orUnreadable, readGoalState } from "../../client/facts/goal.ts";
import { goalList } from "../../client/facts/pages.ts";
import { resolveGoalId } from "../../client/facts/resolve-id.ts";
import { boundedLine } from "../../client/text/plain-text.ts";
import { GoalId } from "../../model/ids.ts";
import { goalReport } from "../goal-report.ts";
import { waitForGoal } from "../wait-for-goal.ts";
import { type Call, defineTool, reads, writes } from "./tool.ts";

/** Clients give up on calls that take much longer. */
const maxWaitSeconds = 600;
const maxGoals = 100;

const goalArgument = z
  .string()
  .describe("The goal's id; six or more of its first characters are enough.");
const waitArgument = z
  .number()
  .int()
  .min(0)
  .max(maxWaitSeconds)
  .describe(
    "How long to wait at most, in seconds. The call returns earlier when the goal rests or waits for a person.",
  );

export const postGoalTool = defineTool({
  name: "post_goal",
  title: "Post a goal",
  description:
    "Hands work to the clan of agents: posts a goal, which starts from the repository's last commit. Returns at once, or with wait_seconds when the goal rests.",
  right: "forage",
  annotations: writes,
  args: {
    text: z.string().min(1).describe("What is to be done, in plain words."),
    id: z
      .uuid()
      .optional()
      .describe(
        "A UUID of version 4, chosen by you: the same id never makes a second goal. Use it to repeat a call safely.",
      ),
    wait_seconds: waitArgument.default(0),
  },
  async run({ text, id, wait_seconds }, call) {
    const { goal_id, metadata } = await call.postGoal({
      text: checkedText(text, textKinds.goal),
      id: id === undefined ? undefined : GoalId.parse(id),
      actor: call.actor,
      marks: call.marks,
    });
    call.about(goal_id);
    await call.written();
    const { commit } = metadata;
    const lacking = commit === undefined ? [] : await call.lacking(commit);
    const report = await waitAndReport(goal_id, wait_seconds, call);
    return lacking.length === 0 ? report : { ...report, workspaces_lack: lacking };
  },
});

export const waitForGoalTool = defineTool({
  name: "wait_for_goal",
  title: "Wait for a goal",
  description:
    "Waits until a goal rests (achieved, settled, failed, stalled, cancelled) or waits for a person, and returns its state and results. Call it again when it is still running.",
  right: "read",
  annotations: reads,
  args: { goal: goalArgument, timeout_seconds: waitArgument.default(60) },
  run: async ({ goal, timeout_seconds }, call) =>
    await waitAndReport(await resolve(goal, call), timeout_seconds, call),
});

export const readGoalTool = defineTool({
  name: "read_goal",
  title: "Read a goal",
  description:
    "The state of a goal: what it waits for and why, its failures, its results and what its model calls have cost.",
  right: "read",
  annotations: reads,
  args: { goal: goalArgument },
  run: async ({ goal }, call) => await goalReport(call.asker, await resolve(goal, call)),
});

export const listGoals = defineTool({
  name: "list_goals",
  title: "List goals",
  description: "The newest goals with their states, newest first.",
  right: "read",
  annotations: reads,
  args: { limit: z.number().int().min(1).max(maxGoals).default(20) },
  async run({ limit }, { asker: { board } }) {
    const list = goalList(board);
    const count = await list.count();
    const from = Math.max(0, count - limit);
    const page = await list.list({ from, count: limit });
    const goals = await Promise.all(
      page.map((goal) => orUnreadable(goal, () => readGoalState(board, goal))),
    );
    return {
      goals: goals.toReversed().map((one) => ({
        goal_id: one.goal,
        state: one.status.state,
        summary: boundedLine(goalSummary(one), 500),
        trigger: one.trigger ?? null,
        created_at: one.artefacts[0]?.created_at ?? null,
        artefacts: one.count,
      })),
      older: from,
    };
  },
});

function resolve(goal: string, { asker: { board, suggest } }: Call): Promise<GoalId> {
  return resolveGoalId(board, goal, suggest);
}

async function waitAndReport(
  goal: GoalId,
  seconds: number,
  call: Call,
): Promise<Record<string, unknown>> {
  if (seconds === 0) return await goalReport(call.asker, goal);
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(seconds * 1_000)]);
  // A goal may rest before the first look at it, and then no event of it comes.
  call.report(0, "0 events");
  const reading = await waitForGoal(call, goal, {
    signal,
    onEvents: (count) => call.report(count, `${count} events`),
  });
  return await goalReport(call.asker, goal, reading);
}
