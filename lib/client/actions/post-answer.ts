// Posts a person's answer to the blackboard, or explains why the question is closed.

import { randomUUID } from "node:crypto";
import type { PersonBlackboard } from "../../blackboard/holders.ts";
import { newThread } from "../../core/new-artefact.ts";
import { type Artefact, userRole } from "../../model/artefact.ts";
import { howToRaise, isBudgetAnswer, isBudgetQuestion } from "../../model/budget-question.ts";
import { type ClaimSnapshot, isEnded, questionOf } from "../../model/claim.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor, SettEvent } from "../../model/event.ts";
import { ArtefactId } from "../../model/ids.ts";
import { positionSince } from "../facts/since.ts";
import { actorName } from "../render/event-line.ts";
import { agoOf } from "../text/age.ts";
import { firstLine, oneLine } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";
import type { Suggest } from "../text/suggest.ts";
import type { Marks } from "./marks.ts";

/** `why`: a sentence. Throws `usage` for an answer that would change nothing: the agent would only ask again. */
export type AnswerOutcome = { outcome: "answered"; answer: Artefact } | { outcome: "closed"; why: string };

export async function postAnswer(
  board: PersonBlackboard,
  question: Artefact,
  text: string,
  { actor, suggest, marks, id }: { actor: Actor; suggest: Suggest; marks?: Marks; id?: ArtefactId },
): Promise<AnswerOutcome> {
  if (isBudgetQuestion(question) && !isBudgetAnswer(text)) throw noAmount(question, suggest);
  const answer = answerTo(question, text, { marks, id });
  const result = await board.answerQuestion(answer, actor);
  if (result.outcome === "answered") return { outcome: "answered", answer };
  const refusal = result.outcome === "refused" ? result.reason : "The question has an answer already.";
  return { outcome: "closed", why: (await whyQuestionClosed(board, question, suggest)) ?? refusal };
}

function noAmount({ id, goal_id }: Artefact, suggest: Suggest): SettError {
  return new SettError("usage", `This question is about a budget, and your answer is no amount. Answer with ${howToRaise}.`, {
    hint: `${suggest(`answer ${shortId(id)} yes`)}, or end the goal: ${suggest(`cancel ${shortId(goal_id)}`)}`,
  });
}

/** Why the question needs no answer (any more); undefined where it needs one. */
export async function whyQuestionClosed(
  board: PersonBlackboard,
  { id, goal_id, claim_id, produced_by_agent }: Artefact,
  suggest: Suggest,
): Promise<string | undefined> {
  const [[answer], { ended }, asking] = await Promise.all([
    board.answersOf([id]),
    board.readGoal(goal_id),
    claim_id === "" ? undefined : board.readClaim(claim_id),
  ]);
  const question = `question ${shortId(id)}`;
  if (answer !== undefined)
    return `${await whoAnswered(board, question, answer)}: see \`${suggest(`unearth ${shortId(answer)}`)}\`.`;
  if (ended !== undefined) {
    const how = ended === "cancelled" ? "was cancelled" : "was ended, because it had too many artefacts";
    return `Goal ${shortId(goal_id)} ${how}: ${question} needs no answer any more.`;
  }
  // Feedback on a goal stays open as long as the goal does.
  if (produced_by_agent === "" || asking?.grants.some((grant) => questionOf(grant) === id)) return undefined;
  return `\`${oneLine(produced_by_agent)}\` does not wait for the answer to ${question} any more${becauseOf(asking)}.`;
}

type Origin = { marks: Marks | undefined; id: ArtefactId | undefined };

function answerTo(question: Artefact, text: string, { marks, id = ArtefactId.parse(randomUUID()) }: Origin): Artefact {
  return newThread(
    { id, at: new Date().toISOString(), role: userRole, agent: "", goal: question.goal_id, claim: "" },
    {
      structural_type: "Answer",
      type: "Answer",
      payload: text,
      sources: [question.id],
      metadata: { summary: firstLine(text), ...marks },
    },
  );
}

async function whoAnswered(board: PersonBlackboard, question: string, id: ArtefactId): Promise<string> {
  const answer = await board.readArtefact(id);
  const event = answer && (await creationOf(board, answer));
  const who = event === undefined ? "" : ` by ${oneLine(actorName(event.actor))}`;
  const when = event?.time ?? answer?.created_at;
  const ago = when === undefined ? "" : `, ${agoOf(when, await board.time())}`;
  return `${question[0]?.toUpperCase()}${question.slice(1)} was answered${who}${ago}`;
}

const pageSize = 500;
/** The largest expected difference between the clocks of two machines. */
const clockDriftMs = 60_000;

/** Only the log knows the person. It is read from shortly before the answer's `created_at`. */
async function creationOf(board: PersonBlackboard, { id, created_at }: Artefact): Promise<SettEvent | undefined> {
  let from = await positionSince(new Date(Date.parse(created_at) - clockDriftMs).toISOString(), board);
  for (;;) {
    const page = await board.readEvents(from, pageSize);
    const found = page.find((event) => event.type === "artefact_created" && event.artefact_id === id);
    from = page.at(-1)?.id ?? from;
    if (found !== undefined || page.length < pageSize) return found;
  }
}

function becauseOf(asking: ClaimSnapshot | undefined): string {
  if (asking === undefined || !isEnded(asking.claim.status)) return "";
  const { id, status, termination_reason } = asking.claim;
  return `: claim ${shortId(id)} is ${status}${termination_reason === "" ? "" : ` (${oneLine(termination_reason)})`}`;
}
