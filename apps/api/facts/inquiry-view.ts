// Shows what waits for a person, in the shapes of the API.
import { type Inquiry, subjectOf } from "../../../lib/client/facts/inquiries.ts";
import { budgetJson, progressIn } from "../../../lib/client/facts/inquiry-json.ts";
import type { Artefact, ArtefactHead } from "../../../lib/model/artefact.ts";
import { questionText } from "../../../lib/model/budget-question.ts";

/** `notCounted`: why an approval of the caller would not count. */
export function inquiryView(inquiry: Inquiry, notCounted?: string) {
  const { id, goal_id, overwritten } = subjectOf(inquiry);
  const common = { id, goal_id, since: inquiry.since, ...(overwritten && { overwritten }) };
  if (inquiry.kind === "question") {
    const { overwritten: _, ...question } = inquiry.question;
    const { refusal } = inquiry;
    const budget = refusal === undefined ? {} : { budget: budgetJson(refusal) };
    return {
      kind: "question" as const,
      ...common,
      question,
      ...budget,
      text: questionText(question),
    };
  }
  const { claim: claim_id, agent, content } = inquiry;
  const { overwritten: _, ...artefact } = inquiry.artefact;
  const { text, isWhole } = content;
  return {
    kind: "approval" as const,
    ...{ ...common, claim_id, for: agent, artefact },
    ...progressIn(inquiry),
    ...(notCounted !== undefined && { not_counted: notCounted }),
    content: { text: text.toWellFormed(), whole: isWhole },
  };
}

export function headOf({ payload: _, ...head }: Artefact): ArtefactHead {
  return head;
}
