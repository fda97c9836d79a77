// Posts a person's answer to the blackboard, or explains why the question is closed.

import { randomUUID } from "node:crypto";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { readRefusal } from "../../blackboard/records/read-refusal.ts";
import { newThread } from "../../core/new-artefact.ts";
import type { Right } from "../../model/api-access.ts";
import { type Artefact, userRole } from "../../model/artefact.ts";
import { isCallQuestion, wordOfAnswer } from "../../model/asked-call.ts";
import type { Amounts } from "../../model/budget.ts";
import {
  amountsOfYes,
  exampleAmount,
  howToRaise,
  raiseText,
  readAnswer,
} from "../../model/budget-question.ts";
import { type ClaimSnapshot, isEnded, questionOf } from "../../model/claim.ts";
import { clauseOf, SettError } from "../../model/errors.ts";
import type { Actor, SettEvent } from "../../model/event.ts";
import { ArtefactId } from "../../model/ids.ts";
import type { BudgetRefusal } from "../../model/model-call.ts";
import { actorName } from "../../words/actor-name.ts";
import { agoOf } from "../../words/age.ts";
import { shortId } from "../../words/short-id.ts";
import { positionSince } from "../facts/since.ts";
import { firstLine, oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import type { Marks } from "./marks.ts";
import { type Sign, signed } from "./sign.ts";

/** `raises`: what the answer adds to which budget. `why`: a sentence. */
export type AnswerOutcome =
  | { outcome: "answered"; answer: Artefact; raises: string | undefined }
  | { outcome: "closed"; why: string };

/** An answer of the caller's may raise a budget, or allow a call of a tool. */
export type AnsweringRights = { raise: boolean; allow: boolean };

export const mayBoth: AnsweringRights = { raise: true, allow: true };
export const mayNeither: AnsweringRights = { raise: false, allow: false };

export function answersOf(rights: ReadonlySet<Right>): AnsweringRights {
  return { raise: rights.has("budget"), allow: rights.has("approve") };
}

export type Answering = {
  actor: Actor;
  suggest: Suggest;
  may: AnsweringRights;
  marks?: Marks;
  id?: ArtefactId;
  sign?: Sign | undefined;
};

/**
 * Throws `usage` where the record knows that a budget is used up, and the answer would change
 * nothing: the agent would only ask again; for an answer about calls of tools that is no `yes` and
 * no `no`; and `not-allowed` where it would raise the budget, or allow a call,
 * without the right to.
 */
export async function postAnswer(
  board: PersonBlackboard,
  question: Artefact,
  text: string,
  { actor, suggest, may, marks, id, sign }: Answering,
): Promise<AnswerOutcome> {
  const refusal = await readRefusal(board, question);
  const add = refusal && amountsIn(text, question, refusal, suggest);
  if (refusal !== undefined && !may.raise) throw mayNotRaise();
  if (isCallQuestion(question)) checkWord(question, text, { suggest, may });
  const unsigned = answerTo(question, text, { marks, id, actor });
  const { sha256: content = "" } = (sign && (await board.readWithDigest(question.id))) ?? {};
  const answer = await signed({ board, sign, suggest }, { artefact: unsigned, actor, content });
  const result = await board.answerQuestion(answer, actor);
  const raises = refusal && add && raiseText(add, refusal);
  if (result.outcome === "answered") return { outcome: "answered", answer, raises };
  const reason =
    result.outcome === "refused" ? result.reason : "The question has an answer already.";
  return { outcome: "closed", why: (await whyQuestionClosed(board, question, suggest)) ?? reason };
}

const whoMay =
  "A person with that right can give it. `services.api.tokens` in sett.yml, and `sett mcp --may`, say who has which.";

function mayNotRaise(): SettError {
  return new SettError(
    "not-allowed",
    "This answer raises a budget, which needs the right `budget`.",
    {
      hint: whoMay,
    },
  );
}

/** A call does at its server what a person has allowed: it needs the right of approvals. */
function checkWord(
  { id }: Artefact,
  text: string,
  { suggest, may }: Pick<Answering, "suggest" | "may">,
): void {
  const word = wordOfAnswer(text);
  if (word === "yes" && !may.allow)
    throw new SettError(
      "not-allowed",
      "This answer allows a call of a tool, which needs the right `approve`.",
      { hint: whoMay },
    );
  if (word !== undefined) return;
  throw new SettError(
    "usage",
    "This question is about calls of tools, and your answer is neither `yes` nor a `no`: an agent reads what comes after a `no`.",
    {
      hint: `${suggest(`answer ${shortId(id)} yes`)}, or ${suggest(`answer ${shortId(id)} "no, …"`)}`,
    },
  );
}

function amountsIn(
  text: string,
  { id, goal_id }: Artefact,
  refusal: BudgetRefusal,
  suggest: Suggest,
): Amounts {
  const read = readAnswer(text, refusal);
  if ("amounts" in read) return read.amounts;
  const example = amountsOfYes(refusal) === undefined ? exampleAmount(refusal) : "yes";
  throw new SettError(
    "usage",
    `This question is about a budget, and your answer ${read.problem}. Answer with ${howToRaise(refusal)}.`,
    {
      hint: `${suggest(`answer ${shortId(id)} ${example}`)}, or end the goal: ${suggest(`cancel ${shortId(goal_id)}`)}`,
    },
  );
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
    const how =
      ended === "cancelled" ? "was cancelled" : "was ended, because it had too many artefacts";
    return `Goal ${shortId(goal_id)} ${how}: ${question} needs no answer any more.`;
  }
  // Feedback on a goal stays open as long as the goal does.
  if (produced_by_agent === "" || asking?.grants.some((grant) => questionOf(grant) === id))
    return undefined;
  return `\`${oneLine(produced_by_agent)}\` does not wait for the answer to ${question} any more${becauseOf(asking)}.`;
}

type Origin = { marks: Marks | undefined; id: ArtefactId | undefined; actor: Actor };

function answerTo(
  question: Artefact,
  text: string,
  { marks, id = ArtefactId.parse(randomUUID()), actor }: Origin,
): Artefact {
  return newThread(
    {
      id,
      at: new Date().toISOString(),
      role: userRole,
      agent: "",
      goal: question.goal_id,
      claim: "",
    },
    {
      structural_type: "Answer",
      type: "Answer",
      payload: text,
      sources: [question.id],
      metadata: { summary: firstLine(text), by: actor.replace(/^person:/, ""), ...marks },
    },
  );
}

async function whoAnswered(
  board: PersonBlackboard,
  question: string,
  id: ArtefactId,
): Promise<string> {
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
async function creationOf(
  board: PersonBlackboard,
  { id, created_at }: Artefact,
): Promise<SettEvent | undefined> {
  let from = await positionSince(
    new Date(Date.parse(created_at) - clockDriftMs).toISOString(),
    board,
  );
  for (;;) {
    const page = await board.readEvents(from, pageSize);
    const found = page.find(
      (event) => event.type === "artefact_created" && event.artefact_id === id,
    );
    from = page.at(-1)?.id ?? from;
    if (found !== undefined || page.length < pageSize) return found;
  }
}

function becauseOf(asking: ClaimSnapshot | undefined): string {
  if (asking === undefined || !isEnded(asking.claim.status)) return "";
  const { id, status, termination_reason } = asking.claim;
  return `: claim ${shortId(id)} is ${status}${termination_reason === "" ? "" : ` (${oneLine(clauseOf(termination_reason))})`}`;
}
