// The notices that webhooks get. An event only names a subject: the stored state decides whether
// there is a notice.

import { formatAmount, nanosPerUsd } from "../model/amounts.ts";
import type { Artefact, ArtefactHead } from "../model/artefact.ts";
import { isCallQuestion } from "../model/asked-call.ts";
import { exampleAmount, questionText } from "../model/budget-question.ts";
import type { SettEvent } from "../model/event.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId, InstanceName } from "../model/ids.ts";
import type { Hook, NoticeKind } from "../model/notify.ts";
import { payerWord, periodBudget } from "../model/payer-name.ts";
import { Hold, periodOf } from "../model/spending.ts";
import { unreachable } from "../model/unreachable.ts";
import type { GoalState } from "./goal-status.ts";
import { type Posted, postedAs, type Sent, shortened } from "./notice-forms.ts";

/** A notice may be about these. A question and an approval wait for a person, and get reminders. */
export type NoticeSubject =
  | { kind: "question"; question: ArtefactId }
  | { kind: "approval"; claim: ClaimId; agent: AgentName }
  | { kind: "goal"; goal: GoalId }
  | { kind: "budget"; at: string; news: BudgetNews };

/** `isReached`: new work is held; else four fifths of the limit are spent. */
export type BudgetNews = Hold & { isReached: boolean };

/**
 * `id` is the same every time the same state is read. `at`: since when that state lasts (ISO 8601).
 */
export type Notice = {
  id: string;
  kind: NoticeKind;
  at: string;
  goal: Artefact | undefined;
  /** The question, the artefact to approve, or the artefact that the goal ended with. */
  artefact?: Artefact;
  /** The person who is to approve it. */
  approver?: AgentName;
  budget?: BudgetNews;
};

export function noticeSubjectOf(event: SettEvent): NoticeSubject | undefined {
  const isReached = event.type === "budget_reached";
  if (!isReached && event.type !== "budget_nearly_reached") return subjectOf(event);
  const hold = Hold.safeParse(event.data).data;
  return hold && { kind: "budget", at: event.time, news: { ...hold, isReached } };
}

function subjectOf({
  type,
  artefact_id,
  claim_id,
  goal_id,
  agent,
  data,
}: SettEvent): NoticeSubject | undefined {
  const goal = goal_id && ({ kind: "goal", goal: goal_id } as const);
  switch (type) {
    case "question_asked":
      return artefact_id && { kind: "question", question: artefact_id };
    case "grant_waiting":
      // A grant that waits for an answer has this event too; reading it finds no approval.
      return claim_id && agent && { kind: "approval", claim: claim_id, agent };
    case "claim_completed":
    case "claim_terminated":
    case "goal_ended":
      return goal;
    case "artefact_created":
      // Written by hand, these come without a claim that ends.
      return data?.structural_type === "Terminal" || data?.structural_type === "Failure"
        ? goal
        : undefined;
    default:
      return undefined;
  }
}

/** A key for each subject, of letters, digits and `-`. */
export function subjectKey(subject: NoticeSubject): string {
  switch (subject.kind) {
    case "question":
      return `question-${subject.question}`;
    case "approval":
      return `approval-${subject.claim}-${subject.agent}`;
    case "goal":
      return `goal-${subject.goal}`;
    case "budget": {
      const { whose, period, kind, isReached } = subject.news;
      return `budget-${isReached ? "reached" : "near"}-${[period, kind, whose].map(inKey).join("-")}`;
    }
    default:
      return unreachable(subject);
  }
}

/** Other characters as their numbers, so that two names never have one key. */
function inKey(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, (sign) => `-${sign.charCodeAt(0).toString(16)}-`);
}

/** How a goal has ended; undefined for one that goes on, or waits for a person. */
export function endingKind(state: GoalState): NoticeKind | undefined {
  return state === "running" || state === "waiting" ? undefined : state;
}

/** The newest artefact of the kind that such an ending produces, if there is one. */
export function closingArtefact(
  ending: NoticeKind,
  goal: GoalId,
  artefacts: readonly ArtefactHead[],
): ArtefactId | undefined {
  const kinds: Partial<Record<NoticeKind, string>> = {
    achieved: "Terminal",
    settled: "Standard",
    failed: "Failure",
  };
  const isOne = (head: ArtefactHead) =>
    head.structural_type === kinds[ending] && String(head.logical_id) !== String(goal);
  return artefacts.findLast(isOne)?.id;
}

const typeOf: Record<NoticeKind, string> = {
  question: "question.asked",
  approval: "approval.wanted",
  achieved: "goal.achieved",
  settled: "goal.settled",
  failed: "goal.failed",
  stalled: "goal.stalled",
  cancelled: "goal.cancelled",
  budget: "budget.reached",
};

const maxSummaryLength = 200;
const maxTextLength = 4_000;

type Sending = {
  instance: InstanceName;
  reminder: number;
  hook: Pick<Hook, "url" | "body" | "page">;
};

/** The content to post: JSON, the same for the same notice and `reminder`. */
export function noticeBody(notice: Notice, { instance, reminder, hook }: Sending): Posted {
  const { kind, at, goal, artefact, approver, budget } = notice;
  const sent: Sent = {
    type: budget?.isReached === false ? "budget.nearly_reached" : typeOf[kind],
    instance,
    at,
    reminder,
    goal: goal && { id: goal.goal_id, summary: summaryOf(goal) },
    artefact: artefact && {
      id: artefact.id,
      type: artefact.type,
      by: artefact.produced_by_agent || artefact.produced_by_role,
      summary: summaryOf(artefact),
      text: shortened(questionText(artefact), maxTextLength),
    },
    approver,
    ...(budget && { budget: budgetBody(budget) }),
    answer_with: (budget ? [raiseCommand(budget)] : artefact && commandsFor(kind, artefact))?.map(
      (command) => `${command} --name ${instance}`,
    ),
    link: hook.page && `${hook.page.replace(/\/+$/, "")}/${placeOf(notice)}`,
  };
  return postedAs(hook.body ?? "sett", sent, hook.url);
}

/** The page's own addresses: nothing is done by opening one. */
function placeOf({ kind, goal, artefact, approver }: Notice): string {
  if (kind !== "question" && kind !== "approval")
    return goal === undefined ? "#/" : `#/goals/${goal.goal_id}`;
  const key = approver === undefined ? artefact?.id : `${artefact?.id}+${approver}`;
  return `#/inbox?i=${key}`;
}

/** Money is in US dollars. */
function budgetBody({ whose, period, kind, limit, spent, isReached }: BudgetNews) {
  const unit = kind === "nanousd" ? nanosPerUsd : 1;
  const amounts = { limit: limit / unit, spent: spent / unit };
  const of = `${formatAmount(kind, spent)} of ${formatAmount(kind, limit)}`;
  const text = `${of} are spent of ${periodBudget(whose, period)}${isReached ? ": no new work begins" : ""}.`;
  return { whose, period, kind: kind === "nanousd" ? "usd" : kind, ...amounts, text };
}

function raiseCommand({ whose, period, kind }: BudgetNews): string {
  const of = whose === "instance" ? "" : ` --of ${payerWord(whose)}`;
  return `sett budget --add ${exampleAmount({ kind })} --per ${periodOf(period)}${of}`;
}

/** The commands by which a person answers, where something waits for a person. */
/** A call of a tool is answered where all of it is shown, since the notice may cut it. */
function commandsFor(kind: NoticeKind, artefact: Artefact): string[] | undefined {
  const { id } = artefact;
  if (kind === "question" && isCallQuestion(artefact)) return [`sett answer ${id}`];
  if (kind === "question") return [`sett answer ${id} "…"`];
  if (kind === "approval") return [`sett approve ${id}`, `sett reject ${id} --reason "…"`];
  return undefined;
}

/** The artefact's own summary, or the first line of its payload. */
function summaryOf({ metadata: { summary = "" }, payload }: Artefact): string {
  const [first = ""] = payload.trimStart().slice(0, maxTextLength).split("\n");
  return shortened(summary.trim() === "" ? first : summary, maxSummaryLength);
}
