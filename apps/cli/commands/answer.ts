// sett answer: posts a person's answer to a question.

import { Buffer } from "node:buffer";
import { aborted } from "../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { type Obstacle, readObstacle } from "../../../lib/client/actions/obstacle.ts";
import { mayBoth, postAnswer, whyQuestionClosed } from "../../../lib/client/actions/post-answer.ts";
import { makerOf } from "../../../lib/client/facts/inquiry-json.ts";
import { resolveQuestion } from "../../../lib/client/facts/resolve-id.ts";
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import { createStyle } from "../../../lib/client/text/style.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { type Artefact, isGoalFeedback } from "../../../lib/model/artefact.ts";
import { questionText } from "../../../lib/model/budget-question.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { type WatchedGoal, watchToEnd } from "../goals/watch-goal.ts";
import { openSession, type Session } from "../instance/session.ts";
import { receiptFor, signArguments, signerFor } from "../people/sign-act.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { checkAnswerText, decodeAnswer, readAnswerText } from "../program/read-text.ts";
import { type Edited, editText } from "../terminal/edit-text.ts";
import type { Shell } from "../terminal/shell.ts";

export const answer = defineCommand({
  name: "answer",
  description: "answer a question",
  details: [
    "Prints the answer's id. The first answer counts, and the agent that asked continues with it.",
    "Without TEXT, on a terminal: opens $VISUAL or $EDITOR, with the question as a comment. An empty text posts no answer.",
    "Answer a question about the goal itself with the whole new text of the goal: the editor starts with the present text.",
    "Answer an agent whose budget is spent with what you add: 5usd, 100k tokens, 50 calls, or yes for the amount that `sett questions` names.",
  ].join("\n"),
  args: {
    id: {
      type: "positional",
      required: true,
      description: "a question; 6 or more characters of its id are enough",
    },
    text: { type: "positional", required: false, description: "the answer; - reads it from stdin" },
    watch: {
      type: "boolean",
      alias: "w",
      description: "then follow the goal until it rests, like `sett forage --watch`",
    },
    ...signArguments,
    as: asArgument,
    json: jsonArgument,
    name: nameArgument,
  },
  examples: [
    'sett answer 9f3a12b4 "The green door"',
    "sett answer 9f3a12b4  # in your editor",
    "sett answer 9f3a12b4 - < answer.md",
    'sett answer 9f3a12b4 "The green door" --watch',
    'sett answer 9f3a12b4 --as "Ada Lovelace" -- "-1"',
  ],
  // The typed text must not be lost.
  endsItself: true,
  async run(args, shell) {
    const { question, goalText } = await orInterrupted(
      () =>
        onBlackboard(args.name, shell, ({ board }) => findQuestion(board, args.id, shell.suggest)),
      shell,
    );
    const edited = args.text === undefined ? await edit(question, goalText, shell) : undefined;
    let watched: WatchedGoal;
    try {
      using receipt = await receiptFor(args, shell);
      const text =
        edited === undefined
          ? await readAnswerText(args.text ?? "", shell)
          : checkAnswerText(decodeAnswer(edited.bytes, "you wrote"));
      watched = await orInterrupted(
        () =>
          onBlackboard(args.name, shell, async (session) => {
            const { board, place } = session;
            const [from, actor, obstacle] = await Promise.all([
              board.endOfEvents(),
              session.actor(args.as),
              readObstacle(board, shell.suggest),
            ]);
            const result = await postAnswer(board, question, text, {
              actor,
              suggest: shell.suggest,
              may: mayBoth,
              sign: await signerFor(args, place, shell),
            });
            if (result.outcome === "closed") throw closedError(result.why, shell.suggest);
            await printAnswer(
              result.answer,
              question,
              { ...args, obstacle, raises: result.raises },
              shell,
            );
            await receipt?.keep(result.answer);
            // After an answer from stdin, stdin has ended and no person can type.
            return { place, goal: question.goal_id, from, actor, mayAsk: args.text !== "-" };
          }),
        shell,
      );
    } catch (error) {
      if (edited !== undefined) shell.messages.warn(`Your text is in ${edited.path}.`);
      throw error;
    }
    await edited?.remove();
    if (!args.watch) return;
    return await watchToEnd(shell, watched);
  },
});

/** There is no connection while a person writes. */
async function onBlackboard<Result>(
  name: string | undefined,
  shell: Shell,
  act: (session: Session) => Promise<Result>,
): Promise<Result> {
  await using session = await openSession(shell, name);
  return await act(session);
}

/**
 * `goalText`: the text of the goal, where the question is about the goal. Throws where the question
 * is closed.
 */
async function findQuestion(
  board: PersonBlackboard,
  id: string,
  suggest: Suggest,
): Promise<{ question: Artefact; goalText: string | undefined }> {
  const question = await resolveQuestion(board, id, suggest);
  const why = await whyQuestionClosed(board, question, suggest);
  if (why !== undefined) throw closedError(why, suggest);
  const [about] = question.source_artefacts;
  if (!isGoalFeedback(question) || about === undefined) return { question, goalText: undefined };
  return { question, goalText: (await board.readArtefact(about))?.payload };
}

function closedError(why: string, suggest: Suggest): SettError {
  const hint = `\`${suggest("questions")}\` lists the questions that wait for an answer.`;
  return new SettError("blackboard-refused", why, { hint });
}

/** Throws `usage` where there is no terminal, and where the person wrote nothing. */
async function edit(
  question: Artefact,
  goalText: string | undefined,
  shell: Shell,
): Promise<Edited> {
  const { suggest } = shell;
  const id = shortId(question.id);
  if (!shell.isInteractive) {
    throw new SettError(
      "usage",
      "The answer is missing, and there is no terminal on which to write it.",
      {
        hint: `${suggest(`answer ${id} "…"`)}, or from a file: ${suggest(`answer ${id} -`)} < answer.md`,
      },
    );
  }
  const edited = await editText(
    goalText?.trim() ?? "",
    notesOn(question, goalText !== undefined),
    shell,
  );
  const isUnchanged = Buffer.from(edited.bytes).equals(Buffer.from(goalText?.trim() ?? ""));
  if (edited.bytes.length > 0 && !isUnchanged) return edited;
  await edited.remove();
  throw edited.bytes.length === 0
    ? new SettError("usage", "You wrote nothing: the question is not answered.", {
        hint: `Try again: ${suggest(`answer ${id}`)}`,
      })
    : new SettError("usage", "You did not change the goal: the question is not answered.", {
        hint: `To answer with the same goal: ${suggest(`unearth ${shortId(question.goal_id)} --payload`)} | ${suggest(`answer ${id} -`)}`,
      });
}

function notesOn(question: Artefact, isAboutGoal: boolean): string[] {
  return [
    isAboutGoal
      ? "The goal is above this line: change it to its new text."
      : "Write your answer above this line.",
    "sett ignores this line and everything below it. If nothing is above it, sett posts no answer.",
    "",
    `Question ${question.id} from ${makerOf(question)}:`,
    "",
    ...quotedLines(questionText(question), { style: createStyle(false), columns: undefined }),
  ];
}

type Printing = {
  json: boolean;
  watch: boolean;
  obstacle: Obstacle | undefined;
  raises: string | undefined;
};

async function printAnswer(
  posted: Artefact,
  question: Artefact,
  { json: isJson, watch, obstacle, raises }: Printing,
  { out, messages, suggest }: Shell,
): Promise<void> {
  const { id, goal_id, metadata } = posted;
  await out.write(
    isJson
      ? `${JSON.stringify({ id, question: question.id, goal_id, summary: metadata.summary })}\n`
      : `${id}\n`,
  );
  const isFeedback = isGoalFeedback(question);
  const then = isFeedback
    ? "your answer is the goal's next version"
    : `${makerOf(question)} continues with your answer`;
  const adding = raises === undefined ? "" : `, which adds ${raises}`;
  // The orchestrator posts the next version of a goal during a pause, too.
  const when =
    obstacle === undefined
      ? ""
      : `${isFeedback ? ", and work on it begins" : ""} ${obstacle.until}`;
  messages.done(`Question ${shortId(question.id)} is answered: ${then}${adding}${when}.`);
  if (obstacle !== undefined) messages.next(obstacle.next);
  if (!watch) messages.next(`Follow the goal: ${suggest(`watch --goal ${shortId(goal_id)}`)}`);
}

async function orInterrupted<Result>(
  act: () => Promise<Result>,
  { interrupted, suggest }: Shell,
): Promise<Result> {
  const interruption = aborted(interrupted).then((): never => {
    throw new SettError("interrupted", "Interrupted: your answer may not be stored.", {
      hint: `It is stored if the question is no longer listed: ${suggest("questions")}`,
    });
  });
  return await Promise.race(interrupted.aborted ? [interruption] : [act(), interruption]);
}
