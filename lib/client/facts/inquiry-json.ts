// Writes what waits for a person as JSON, for `sett questions --json` and for assistants.
import type { Progress } from "../../core/quorum.ts";
import {
  amountsOfYes,
  questionText,
  raiseText,
  refusalSentence,
} from "../../model/budget-question.ts";
import type { BudgetRefusal } from "../../model/model-call.ts";
import { type Made, makerName } from "../../words/actor-name.ts";
import { oneLine } from "../text/plain-text.ts";
import { type Inquiry, subjectOf } from "./inquiries.ts";

/**
 * The record says this of a budget that is used up. `yes_adds`: what the answer `yes` adds; null
 * where it adds nothing.
 */
export function budgetJson(refusal: BudgetRefusal) {
  const { scope, agent, kind, limit, spent, reserved, needed } = refusal;
  const yes = amountsOfYes(refusal);
  return {
    ...{ says: refusalSentence(refusal), scope, agent, kind, limit, spent, reserved, needed },
    yes_adds: yes === undefined ? null : raiseText(yes, refusal),
  };
}

/**
 * The same members for both kinds. `text`: the question, or the summary of what is to be approved.
 * `agent`: for which a person approves it.
 */
export function inquiryJson(inquiry: Inquiry) {
  const subject = subjectOf(inquiry);
  const { id, goal_id, type, version, source_artefacts, overwritten } = subject;
  const what = {
    kind: inquiry.kind,
    id,
    goal_id,
    type,
    from: makerOf(subject),
    since: inquiry.since,
  };
  const common = { ...what, ...(overwritten && { overwritten }) };
  if (inquiry.kind === "question") {
    const { question, refusal } = inquiry;
    const budget = refusal === undefined ? {} : { budget: budgetJson(refusal) };
    return {
      ...common,
      about: source_artefacts[0] ?? null,
      ...budget,
      text: questionText(question),
    };
  }
  const { summary = "", commit = null } = inquiry.artefact.metadata;
  const content = {
    content: inquiry.content.text,
    content_is_whole: inquiry.content.isWhole,
    commit,
  };
  return {
    ...common,
    version,
    agent: inquiry.agent,
    claim_id: inquiry.claim,
    ...progressIn(inquiry),
    text: summary,
    ...content,
  };
}

/** Empty where one approval of any person is enough. */
export function progressIn({ approvals, may_approve }: Partial<Progress>): Partial<Progress> {
  return { ...(approvals && { approvals }), ...(may_approve && { may_approve }) };
}

/** As `makerName`, on one line. */
export function makerOf(head: Made): string {
  return oneLine(makerName(head));
}
