// sett answer: a person answers a question.
import { Buffer } from "node:buffer";
import { aborted } from "../../../lib/async/sleep.ts";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { type Artefact, goalFeedbackType } from "../../../lib/model/artefact.ts";
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import { resolveQuestion } from "../facts/resolve-id.ts";
import { exitCodeOf } from "../goals/follow-goal.ts";
import { seeGoalThrough } from "../goals/watch-goal.ts";
import { openSession, type Session } from "../instance/session.ts";
import { giveAnswer, whyClosed } from "../people/give-answer.ts";
import { type Held, heldUntil } from "../people/held-until.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { checkAnswerText, decodeAnswer, readAnswerText } from "../program/given-text.ts";
import { makerOf } from "../render/asked-text.ts";
import { type Edited, editText } from "../terminal/edit-text.ts";
import type { Shell } from "../terminal/shell.ts";
import { plainLines } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";
import type { Suggest } from "../text/suggest.ts";

export const answer = defineCommand({
  name: "answer",
  description: "answer a question",
  details: [
    "Prints the answer's id. The first answer counts, and whoever asked goes on with it.",
    "Without TEXT, on a terminal: opens $VISUAL or $EDITOR with the question below; what is left empty answers nothing.",
    "A question about the goal itself is answered with the whole goal as it shall read: the editor has it as it is.",
  ].join("\n"),
  args: {
    id: { type: "positional", required: true, description: "a question; 6 or more characters of its id are enough" },
    text: { type: "positional", required: false, description: "the answer; - reads it from stdin" },
    watch: { type: "boolean", alias: "w", description: "then follow the goal until it rests, as `sett forage --watch` does" },
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
  // What has been typed is not to be lost.
  endsItself: true,
  async run(args, shell) {
    const { question, goalText } = await orInterrupted(
      () => onBlackboard(args.name, shell, ({ board }) => findQuestion(board, args.id, shell.suggest)),
      shell,
    );
    const edited = args.text === undefined ? await edit(question, goalText, shell) : undefined;
    let seen: Parameters<typeof seeGoalThrough>[1];
    try {
      const text =
        edited === undefined
          ? await readAnswerText(args.text ?? "", shell)
          : checkAnswerText(decodeAnswer(edited.bytes, "you wrote"));
      seen = await orInterrupted(
        () =>
          onBlackboard(args.name, shell, async (session) => {
            const { board, place } = session;
            const [from, actor, held] = await Promise.all([
              board.endOfEvents(),
              session.actor(args.as),
              heldUntil(board, shell.suggest),
            ]);
            const given = await giveAnswer(board, question, text, { actor, suggest: shell.suggest });
            if (given.outcome === "closed") throw tooLate(given.why, shell.suggest);
            await tell(given.answer, question, { ...args, held }, shell);
            // What came from stdin has used it up.
            return { place, goal: question.goal_id, from, actor, mayAsk: args.text !== "-" };
          }),
        shell,
      );
    } catch (error) {
      if (edited !== undefined) shell.messages.warn(`What you wrote is kept in ${edited.path}.`);
      throw error;
    }
    await edited?.remove();
    if (!args.watch) return;
    const reading = await seeGoalThrough(shell, seen);
    return reading === undefined ? exitCodes.interrupted : exitCodeOf(reading.status.state);
  },
});

/** Contact is not kept while a person writes. */
async function onBlackboard<Result>(
  name: string | undefined,
  shell: Shell,
  act: (session: Session) => Promise<Result>,
): Promise<Result> {
  await using session = await openSession(shell, name);
  return await act(session);
}

/** `goalText`: of the goal that the question is about, if it is about one. Throws where an answer would be in vain. */
async function findQuestion(
  board: Blackboard,
  id: string,
  suggest: Suggest,
): Promise<{ question: Artefact; goalText: string | undefined }> {
  const question = await resolveQuestion(board, id, suggest);
  const why = await whyClosed(board, question, suggest);
  if (why !== undefined) throw tooLate(why, suggest);
  const [about] = question.source_artefacts;
  if (question.type !== goalFeedbackType || about === undefined) return { question, goalText: undefined };
  return { question, goalText: (await board.readArtefact(about))?.payload };
}

function tooLate(why: string, suggest: Suggest): SettError {
  const hint = `\`${suggest("questions")}\` lists the questions that wait for an answer.`;
  return new SettError("blackboard-refused", why, { hint });
}

/** Throws `usage` where nobody can write, and where nothing was written. */
async function edit(question: Artefact, goalText: string | undefined, shell: Shell): Promise<Edited> {
  const { suggest } = shell;
  const id = shortId(question.id);
  if (!shell.isInteractive) {
    throw new SettError("usage", "There is no answer, and no terminal to write one in.", {
      hint: `${suggest(`answer ${id} "…"`)}, or from a file: ${suggest(`answer ${id} -`)} < answer.md`,
    });
  }
  const edited = await editText(goalText?.trim() ?? "", notesOn(question, goalText !== undefined), shell);
  const isUnchanged = Buffer.from(edited.bytes).equals(Buffer.from(goalText?.trim() ?? ""));
  if (edited.bytes.length > 0 && !isUnchanged) return edited;
  await edited.remove();
  throw edited.bytes.length === 0
    ? new SettError("usage", "You wrote nothing: the question is not answered.", {
        hint: `Once more: ${suggest(`answer ${id}`)}`,
      })
    : new SettError("usage", "You left the goal as it was: the question is not answered.", {
        hint: `To insist on it: ${suggest(`unearth ${shortId(question.goal_id)} --payload`)} | ${suggest(`answer ${id} -`)}`,
      });
}

function notesOn(question: Artefact, isAboutGoal: boolean): string[] {
  return [
    isAboutGoal ? "Above this line stands the goal: write it as it shall read now." : "Write your answer above this line.",
    "This line and all below it is left out. If you leave nothing above it, nothing is answered.",
    "",
    `Question ${question.id} from ${makerOf(question)}:`,
    "",
    // Further in than anything of ours.
    ...plainLines(question.payload)
      .split("\n")
      .map((line) => `  ${line}`),
  ];
}

async function tell(
  given: Artefact,
  question: Artefact,
  { json: isJson, watch, held }: { json: boolean; watch: boolean; held: Held | undefined },
  { out, messages, suggest }: Shell,
): Promise<void> {
  const { id, goal_id, metadata } = given;
  await out.write(isJson ? `${JSON.stringify({ id, question: question.id, goal_id, summary: metadata.summary })}\n` : `${id}\n`);
  const isFeedback = question.type === goalFeedbackType;
  const then = isFeedback ? "it becomes the goal's next version" : `${makerOf(question)} goes on with it`;
  // A pause does not keep the version from being posted.
  const when = held === undefined ? "" : `${isFeedback ? ", which is worked on" : ""} ${held.until}`;
  messages.done(`Question ${shortId(question.id)} is answered: ${then}${when}.`);
  if (held !== undefined) messages.next(held.next);
  if (!watch) messages.next(`See what becomes of it: ${suggest(`watch --goal ${shortId(goal_id)}`)}`);
}

async function orInterrupted<Result>(act: () => Promise<Result>, { interrupted, suggest }: Shell): Promise<Result> {
  const interruption = aborted(interrupted).then((): never => {
    throw new SettError("interrupted", "Interrupted: perhaps your answer was not stored.", {
      hint: `Is it still listed? ${suggest("questions")}`,
    });
  });
  return await Promise.race(interrupted.aborted ? [interruption] : [act(), interruption]);
}
