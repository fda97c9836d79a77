// What waits for a person: questions that agents have put to people, and work that a person is to approve or reject.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { Artefact, ArtefactHead } from "../../../lib/model/artefact.ts";
import { type ClaimSnapshot, isForApproval } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId } from "../../../lib/model/ids.ts";
import { readHeads, readWhole } from "./artefacts.ts";

/** `since` is ISO 8601. `agent`: the person who is to judge the artefact. `content`: what that says, or at least its beginning. */
export type Asked =
  | { kind: "question"; question: Artefact; since: string }
  | { kind: "approval"; artefact: ArtefactHead; content: Content; claim: ClaimId; agent: AgentName; since: string };
export type Content = { text: string; isWhole: boolean };

const maxContentLength = 4_000;

/** Oldest first; of all goals, or of that one. */
export async function readAsked(board: Blackboard, goal?: GoalId): Promise<Asked[]> {
  const [questions, approvals] = await Promise.all([readQuestions(board), readApprovals(board)]);
  return [...questions, ...approvals]
    .filter((one) => goal === undefined || subjectOf(one).goal_id === goal)
    .sort((one, other) => Date.parse(one.since) - Date.parse(other.since));
}

/** The artefact whose id a person types: the question, or what is to be approved. */
export function subjectOf(asked: Asked): ArtefactHead {
  return asked.kind === "question" ? asked.question : asked.artefact;
}

/** The same for the event that told of it and for what was read; undefined for events that ask nobody. */
export function keyOfEvent({ type, artefact_id, claim_id, agent }: SettEvent): string | undefined {
  if (type === "question_asked") return artefact_id;
  // A grant that waits for an answer has this event too, but never this key.
  return type === "grant_waiting" ? `${claim_id} ${agent}` : undefined;
}

export function keyOf(asked: Asked): string {
  return asked.kind === "question" ? asked.question.id : `${asked.claim} ${asked.agent}`;
}

async function readQuestions(board: Blackboard): Promise<Asked[]> {
  const asked: Asked[] = [];
  for await (const question of readWhole(board, await board.listOpenQuestions()))
    asked.push({ kind: "question", question, since: question.created_at });
  return asked;
}

async function readApprovals(board: Blackboard): Promise<Asked[]> {
  const waiting = (await board.readClaims(await board.listOpenClaims())).flatMap(approvalsOf);
  const ids = [...new Set(waiting.map(({ about }) => about))];
  const contents = new Map<ArtefactId, Content>();
  for await (const { id, payload } of readWhole(board, ids))
    contents.set(id, { text: payload.slice(0, maxContentLength), isWhole: payload.length <= maxContentLength });
  const heads = new Map((await readHeads(board, ids)).map((head) => [head.id, head]));
  return waiting.flatMap(({ about, ...rest }) => {
    const [artefact, content] = [heads.get(about), contents.get(about)];
    if (artefact === undefined || content === undefined) return [];
    return [{ kind: "approval" as const, artefact, content, ...rest }];
  });
}

function approvalsOf({ claim, grants }: ClaimSnapshot) {
  return grants.flatMap((grant) =>
    isForApproval(grant) ? [{ about: claim.artefact_id, claim: claim.id, agent: grant.agent, since: grant.started_at }] : [],
  );
}
