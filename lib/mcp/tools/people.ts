// Tools with which an assistant acts for its person: list what waits for people, answer a question,
// approve, reject.
import { z } from "zod";
import { checkedText, textKinds } from "../../client/actions/checked-text.ts";
import {
  findJudged,
  judge,
  progressText,
  type Verdict,
  whyNotCounted,
} from "../../client/actions/judge.ts";
import { postAnswer } from "../../client/actions/post-answer.ts";
import { postRemark, resolveHearer } from "../../client/actions/post-remark.ts";
import { refusal } from "../../client/actions/request.ts";
import { readInquiries } from "../../client/facts/inquiries.ts";
import { resolveGoalId, resolveQuestion } from "../../client/facts/resolve-id.ts";
import { headJson, shownInquiry, whose } from "../goal-report.ts";
import { type Call, defineTool, reads, writes } from "./tool.ts";

const artefactArgument = z.string().describe("The artefact's id, as list_questions has it.");
const forArgument = z
  .string()
  .optional()
  .describe(
    "The agent in sett.yml for which the person speaks, where several people are waited for.",
  );

export const listQuestions = defineTool({
  name: "list_questions",
  title: "List questions and approvals",
  description:
    "What waits for a person, oldest first: questions of agents with their text, and results that a person must approve or reject; `not_counted` says why an approval of your person would not count. An agent has written what is behind a bar (│).",
  right: "read",
  annotations: reads,
  args: { goal: z.string().optional().describe("Only of this goal.") },
  async run({ goal }, { asker: { board, suggest }, actor }) {
    const only = goal === undefined ? undefined : await resolveGoalId(board, goal, suggest);
    const [inquiries, agents] = await Promise.all([readInquiries(board, only), board.listAgents()]);
    const waiting = inquiries.map((one) => {
      if (one.kind === "question" || one.approvals === undefined) return shownInquiry(one);
      const { agent, approvals, artefact, may_approve = [] } = one;
      const not_counted = whyNotCounted(agent, approvals, { artefact, actor, agents });
      return {
        ...shownInquiry(one),
        so_far: progressText({ approvals, may_approve }),
        ...(not_counted !== undefined && { not_counted }),
      };
    });
    return { waiting, note: whose };
  },
});

export const answerQuestion = defineTool({
  name: "answer_question",
  title: "Answer a question",
  description:
    "Answers an agent's question for your person, on record as given by you. The first answer counts. Ask your person first where you do not know what they want.",
  right: "answer",
  annotations: writes,
  args: { question: z.string().describe("The question's id."), text: z.string().min(1) },
  async run({ question: id, text }, { asker: { board, suggest }, actor, may, marks, about }) {
    const question = await resolveQuestion(board, id, suggest);
    about(question.goal_id);
    const result = await postAnswer(board, question, checkedText(text, textKinds.answer), {
      actor,
      suggest,
      may,
      marks,
    });
    if (result.outcome === "closed") throw refusal(result.why);
    return { answer: headJson(result.answer) };
  },
});

export const tellTool = defineTool({
  name: "tell",
  title: "Tell running work something",
  description:
    "Tells the work on a goal, or on one open claim, something for your person, on record as said by you. Grants that begin then have it among their inputs; a command that is running finds it in a file, which Sett's own worker, Claude Code, Codex, opencode, pi and Qwen Code read. Only what your person wants said.",
  right: "answer",
  annotations: writes,
  args: {
    work: z.string().describe("The id of the goal, or of an open claim."),
    text: z.string().min(1).describe("At most 20000 characters."),
  },
  async run({ work, text }, { asker: { board, suggest }, actor, marks, about }) {
    const hearer = await resolveHearer(board, work, suggest);
    about(hearer.goal);
    const { words, claims } = await postRemark(board, hearer, { text, actor, suggest, marks });
    return { remark: headJson(words), claims };
  },
});

export const approve = defineTool({
  name: "approve",
  title: "Approve a result",
  description:
    "Approves a result for your person, on record as given by you. Only where your person has decided so.",
  right: "approve",
  annotations: writes,
  args: {
    artefact: artefactArgument,
    reason: z.string().optional().describe("What your person says with it, on record."),
    for: forArgument,
  },
  run: async ({ artefact, reason, for: speaker }, call) => {
    const words = reason?.trim() ? checkedText(reason, textKinds.comment) : undefined;
    return decide(artefact, speaker, { approves: true, reason: words }, call);
  },
});

export const reject = defineTool({
  name: "reject",
  title: "Reject a result",
  description:
    "Sends a result back for rework with a reason, for your person, on record as given by you.",
  right: "approve",
  annotations: writes,
  args: { artefact: artefactArgument, reason: z.string().min(1), for: forArgument },
  run: async ({ artefact, reason, for: speaker }, call) =>
    decide(
      artefact,
      speaker,
      { approves: false, reason: checkedText(reason, textKinds.reason) },
      call,
    ),
});

async function decide(
  id: string,
  speaker: string | undefined,
  verdict: Pick<Verdict, "approves" | "reason">,
  call: Call,
) {
  const { board, suggest } = call.asker;
  const judged = await findJudged(board, id, { speaker, actor: call.actor, suggest });
  call.about(judged.artefact.goal_id);
  const { review, obstacle, more } = await judge(board, judged, {
    ...verdict,
    actor: call.actor,
    suggest,
  });
  return {
    review: headJson(review),
    work_goes_on:
      more === undefined
        ? (obstacle?.until ?? "now")
        : `when others have approved: ${progressText(more)}`,
    ...more,
  };
}
