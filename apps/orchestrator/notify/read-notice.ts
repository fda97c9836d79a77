// From a subject to its notice, read from the blackboard now.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import { readGoalFacts, type StoredGoal } from "../../../lib/blackboard/records/read-goal-facts.ts";
import { goalStatus } from "../../../lib/core/goal-status.ts";
import {
  closingArtefact,
  endingKind,
  type Notice,
  type NoticeSubject,
  subjectKey,
} from "../../../lib/core/notice.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { type ClaimSnapshot, isEnded, isForApproval } from "../../../lib/model/claim.ts";
import { ArtefactId, type GoalId, LogicalId } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";

/**
 * Undefined where there is nothing to notify of: the question is answered, the artefact judged, or
 * the goal goes on.
 */
export async function readNotice(
  board: LeaderBlackboard,
  subject: NoticeSubject,
): Promise<Notice | undefined> {
  switch (subject.kind) {
    case "question":
      return await readQuestion(board, subject);
    case "approval":
      return await readApproval(board, subject);
    case "goal":
      return await readEnding(board, subject);
    case "budget":
      return await readBudgetNews(board, subject);
    default:
      return unreachable(subject);
  }
}

/** A budget that was raised meanwhile, or whose period is over, holds no work. */
async function readBudgetNews(
  board: LeaderBlackboard,
  subject: NoticeSubject & { kind: "budget" },
): Promise<Notice | undefined> {
  const { at, news } = subject;
  const holds = news.isReached ? await board.readHolds() : [news];
  if (!holds.some(({ whose }) => whose === news.whose)) return undefined;
  return { id: subjectKey(subject), kind: "budget", at, goal: undefined, budget: news };
}

async function readQuestion(
  board: LeaderBlackboard,
  subject: NoticeSubject & { kind: "question" },
): Promise<Notice | undefined> {
  if (!(await board.listOpenQuestions()).includes(subject.question)) return undefined;
  const question = await board.readArtefact(subject.question);
  if (question === undefined) return undefined;
  const goal = await readGoalArtefact(board, question.goal_id);
  return {
    id: subjectKey(subject),
    kind: "question",
    at: question.created_at,
    goal,
    artefact: question,
  };
}

async function readApproval(
  board: LeaderBlackboard,
  subject: NoticeSubject & { kind: "approval" },
): Promise<Notice | undefined> {
  const { claim, grants = [] } = (await board.readClaim(subject.claim)) ?? {};
  const grant = grants.find(({ agent }) => agent === subject.agent);
  if (claim === undefined || grant === undefined || !isForApproval(grant)) return undefined;
  const artefact = await board.readArtefact(claim.artefact_id);
  if (artefact === undefined) return undefined;
  const goal = await readGoalArtefact(board, claim.goal_id);
  return {
    id: subjectKey(subject),
    kind: "approval",
    at: grant.started_at,
    goal,
    artefact,
    approver: grant.agent,
  };
}

/**
 * A goal that goes on after its end (a claim is retried, or a person posts more by hand) may end
 * again, which is another notice.
 */
async function readEnding(
  board: LeaderBlackboard,
  subject: NoticeSubject & { kind: "goal" },
): Promise<Notice | undefined> {
  const { goal: id } = subject;
  const endOf = (stored: StoredGoal) => endingKind(goalStatus(stored).state);
  // A goal with an open claim has not ended: nothing more need be read.
  const heads = async (ids: readonly ArtefactId[], claims: readonly ClaimSnapshot[]) =>
    claims.some(({ claim }) => !isEnded(claim.status))
      ? []
      : (await board.readHeads(ids)).map(({ head }) => head);
  const facts = await readGoalFacts(board, id, heads, (stored) => endOf(stored) === undefined);
  const kind = endOf(facts);
  const newest = facts.artefacts.at(-1);
  if (kind === undefined || newest === undefined) return undefined;
  const last = closingArtefact(kind, id, facts.artefacts);
  const [goal, artefact] = await Promise.all([
    readGoalArtefact(board, id),
    last && board.readArtefact(last),
  ]);
  const noticeId = `${subjectKey(subject)}-${kind}-${facts.claims.length}`;
  return { id: noticeId, kind, at: newest.created_at, goal, ...(artefact && { artefact }) };
}

/**
 * The goal's newest version: the answer to feedback on a goal is its next version. A goal's thread
 * and its first artefact have its id.
 */
async function readGoalArtefact(
  board: LeaderBlackboard,
  goal: GoalId,
): Promise<Artefact | undefined> {
  const versions = await board.readThread(LogicalId.parse(goal));
  return board.readArtefact(versions.at(-1) ?? ArtefactId.parse(goal));
}
