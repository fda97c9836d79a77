// Inquiries wait for a person: questions that agents ask people, and work that a person must
// approve or reject.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { readRefusal } from "../../blackboard/records/read-refusal.ts";
import type { Artefact, ArtefactHead } from "../../model/artefact.ts";
import { type ClaimSnapshot, isForApproval } from "../../model/claim.ts";
import type { SettEvent } from "../../model/event.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId } from "../../model/ids.ts";
import type { BudgetRefusal } from "../../model/model-call.ts";
import { readWhole } from "./artefacts.ts";
import { type Checked, readChecked } from "./checked.ts";

/**
 * `since` is ISO 8601. `refusal`: where the record knows that a budget is used up. `agent`: the
 * person who must judge the artefact. `content`: its payload, or the beginning of it.
 */
export type Inquiry =
  | {
      kind: "question";
      question: Checked<Artefact>;
      refusal: BudgetRefusal | undefined;
      since: string;
    }
  | {
      kind: "approval";
      artefact: Checked<ArtefactHead>;
      content: Content;
      claim: ClaimId;
      agent: AgentName;
      since: string;
    };
export type QuestionInquiry = Extract<Inquiry, { kind: "question" }>;
export type Content = { text: string; isWhole: boolean };

const maxContentLength = 4_000;

/** Oldest first; those of all goals, or of one goal. */
export async function readInquiries(board: PersonBlackboard, goal?: GoalId): Promise<Inquiry[]> {
  const [questions, approvals] = await Promise.all([readQuestions(board), readApprovals(board)]);
  return [...questions, ...approvals]
    .filter((inquiry) => goal === undefined || subjectOf(inquiry).goal_id === goal)
    .sort((one, other) => Date.parse(one.since) - Date.parse(other.since));
}

/** The artefact whose id a person types: the question, or the artefact to approve. */
export function subjectOf(inquiry: Inquiry): Checked<ArtefactHead> {
  return inquiry.kind === "question" ? inquiry.question : inquiry.artefact;
}

/** The key of the inquiry that this event announces; undefined for other events. */
export function inquiryKeyOfEvent({
  type,
  artefact_id,
  claim_id,
  agent,
}: SettEvent): string | undefined {
  if (type === "question_asked") return artefact_id;
  // A grant that waits for an answer has this event too, but never this key.
  return type === "grant_waiting" ? `${claim_id} ${agent}` : undefined;
}

export function inquiryKey(inquiry: Inquiry): string {
  return inquiry.kind === "question" ? inquiry.question.id : `${inquiry.claim} ${inquiry.agent}`;
}

export async function inquiryOf(
  board: PersonBlackboard,
  question: Checked<Artefact>,
): Promise<QuestionInquiry> {
  return {
    kind: "question",
    question,
    refusal: await readRefusal(board, question),
    since: question.created_at,
  };
}

async function readQuestions(board: PersonBlackboard): Promise<Inquiry[]> {
  const questions: Inquiry[] = [];
  const heads = new Map(
    (await readChecked(board, await board.listOpenQuestions())).heads.map((head) => [
      head.id,
      head,
    ]),
  );
  for await (const artefact of readWhole(board, [...heads.keys()])) {
    const question = heads.get(artefact.id)?.overwritten
      ? { ...artefact, overwritten: true as const }
      : artefact;
    questions.push(await inquiryOf(board, question));
  }
  return questions;
}

async function readApprovals(board: PersonBlackboard): Promise<Inquiry[]> {
  const waiting = (await board.readClaims(await board.listOpenClaims())).flatMap(approvalsOf);
  const ids = [...new Set(waiting.map(({ about }) => about))];
  const heads = new Map((await readChecked(board, ids)).heads.map((head) => [head.id, head]));
  const contents = new Map<ArtefactId, Content>();
  for await (const { id, payload } of readWhole(board, [...heads.keys()]))
    contents.set(id, {
      text: payload.slice(0, maxContentLength),
      isWhole: payload.length <= maxContentLength,
    });
  return waiting.flatMap(({ about, ...rest }) => {
    const [artefact, content] = [heads.get(about), contents.get(about)];
    if (artefact === undefined || content === undefined) return [];
    return [{ kind: "approval" as const, artefact, content, ...rest }];
  });
}

function approvalsOf({ claim, grants }: ClaimSnapshot) {
  return grants.flatMap((grant) =>
    isForApproval(grant)
      ? [{ about: claim.artefact_id, claim: claim.id, agent: grant.agent, since: grant.started_at }]
      : [],
  );
}
