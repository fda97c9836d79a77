// Inquiries wait for a person: questions that agents ask people, and work that a person must
// approve or reject.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { readRefusal } from "../../blackboard/records/read-refusal.ts";
import { type Progress, progressOf } from "../../core/quorum.ts";
import type { RegisteredAgent } from "../../model/agent.ts";
import type { Artefact, ArtefactHead } from "../../model/artefact.ts";
import { type ClaimSnapshot, isForApproval } from "../../model/claim.ts";
import type { SettEvent } from "../../model/event.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId } from "../../model/ids.ts";
import type { BudgetRefusal } from "../../model/model-call.ts";
import { readWhole } from "./artefacts.ts";
import { type Checked, readChecked } from "./checked.ts";

/**
 * `since` is ISO 8601. `refusal`: where the record knows that a budget is used up. `agent`: the
 * person who must judge the artefact. `content`: its payload, or the beginning of it. `approvals`,
 * `may_approve`: missing where one approval of any person is enough.
 */
export type Inquiry =
  | {
      kind: "question";
      question: Checked<Artefact>;
      refusal: BudgetRefusal | undefined;
      since: string;
    }
  | ({
      kind: "approval";
      artefact: Checked<ArtefactHead>;
      content: Content;
      claim: ClaimId;
      agent: AgentName;
      since: string;
    } & Partial<Progress>);
export type QuestionInquiry = Extract<Inquiry, { kind: "question" }>;
export type Content = { text: string; isWhole: boolean };

const maxContentLength = 4_000;

/**
 * What waits, as its heads and claims tell: without what is asked and what is to be judged, which
 * may have 16 MiB each.
 */
export type KnownInquiry = { since: string } & (
  | { kind: "question"; question: Checked<ArtefactHead> }
  | ({
      kind: "approval";
      artefact: Checked<ArtefactHead>;
      claim: ClaimId;
      agent: AgentName;
    } & Partial<Progress>)
);

/** Oldest first; those of all goals, or of one goal. */
export async function readInquiries(board: PersonBlackboard, goal?: GoalId): Promise<Inquiry[]> {
  return (await readEach(board, await listInquiries(board, goal))).inquiries;
}

/** In an order that stays: by time, then by key. */
export async function listInquiries(
  board: PersonBlackboard,
  goal?: GoalId,
): Promise<KnownInquiry[]> {
  const [questions, approvals] = await Promise.all([listQuestions(board), listApprovals(board)]);
  return [...questions, ...approvals]
    .filter((inquiry) => goal === undefined || subjectOf(inquiry).goal_id === goal)
    .sort(
      (one, other) =>
        Date.parse(one.since) - Date.parse(other.since) ||
        (inquiryKey(one) < inquiryKey(other) ? -1 : 1),
    );
}

/**
 * With their contents, as far as `maxChars` go, but at least the first. `next`: the place of the
 * first that is left out.
 */
export async function readEach(
  board: PersonBlackboard,
  known: readonly KnownInquiry[],
  maxChars = Number.POSITIVE_INFINITY,
): Promise<{ inquiries: Inquiry[]; next: number }> {
  const questions = new Set(
    known.flatMap((one) => (one.kind === "question" ? one.question.id : [])),
  );
  const contents = new Map<ArtefactId, Artefact>();
  let chars = 0;
  for await (const artefact of readWhole(board, [
    ...new Set(known.map((one) => subjectOf(one).id)),
  ])) {
    chars += questions.has(artefact.id) ? artefact.payload.length : maxContentLength;
    if (chars > maxChars && contents.size > 0) break;
    // One more character tells that there is more.
    const payload = questions.has(artefact.id)
      ? artefact.payload
      : artefact.payload.slice(0, maxContentLength + 1);
    contents.set(artefact.id, { ...artefact, payload });
  }
  const isCut = chars > maxChars && contents.size < known.length;
  const missing = known.findIndex((one) => !contents.has(subjectOf(one).id));
  const next = isCut && missing !== -1 ? missing : known.length;
  const inquiries: Inquiry[] = [];
  for (const one of known.slice(0, next)) {
    const content = contents.get(subjectOf(one).id);
    if (content !== undefined) inquiries.push(await withContent(board, one, content));
  }
  return { inquiries, next };
}

/** The artefact whose id a person types: the question, or the artefact to approve. */
export function subjectOf(inquiry: Inquiry | KnownInquiry): Checked<ArtefactHead> {
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

export function inquiryKey(inquiry: Inquiry | KnownInquiry): string {
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

async function listQuestions(board: PersonBlackboard): Promise<KnownInquiry[]> {
  const { heads } = await readChecked(board, await board.listOpenQuestions());
  return heads.map((question) => ({ kind: "question", question, since: question.created_at }));
}

async function listApprovals(board: PersonBlackboard): Promise<KnownInquiry[]> {
  const [claims, agents] = await Promise.all([
    board.listOpenClaims().then((open) => board.readClaims(open)),
    board.listAgents(),
  ]);
  const waiting = claims.flatMap((claim) => waitingIn(claim, agents));
  const ids = [...new Set(waiting.map(({ about }) => about))];
  const heads = new Map((await readChecked(board, ids)).heads.map((head) => [head.id, head]));
  return waiting.flatMap(({ about, ...rest }) => {
    const artefact = heads.get(about);
    return artefact === undefined ? [] : [{ kind: "approval" as const, artefact, ...rest }];
  });
}

async function withContent(
  board: PersonBlackboard,
  known: KnownInquiry,
  content: Artefact,
): Promise<Inquiry> {
  if (known.kind === "question")
    return await inquiryOf(board, { ...content, ...marked(known.question) });
  const { payload } = content;
  return {
    ...known,
    content: {
      text: payload.slice(0, maxContentLength),
      isWhole: payload.length <= maxContentLength,
    },
  };
}

function marked({ overwritten }: Checked<ArtefactHead>): { overwritten?: true } {
  return overwritten ? { overwritten } : {};
}

function waitingIn({ claim, grants }: ClaimSnapshot, agents: readonly RegisteredAgent[]) {
  const peopleOf = (agent: AgentName) => agents.find(({ name }) => name === agent)?.people;
  return grants.flatMap((grant) =>
    isForApproval(grant)
      ? [
          {
            ...{ about: claim.artefact_id, claim: claim.id, agent: grant.agent },
            since: grant.started_at,
            ...(grant.quorum && progressOf(grant.quorum, peopleOf(grant.agent))),
          },
        ]
      : [],
  );
}
