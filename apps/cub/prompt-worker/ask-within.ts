// Asks the model with as much of the conversation as it takes: where its server says that it is too
// long, the conversation is shortened in place, and the model is asked again.
import type { AskModel, ModelAnswer } from "./ask-model.ts";
import { ModelCallError } from "./call-error.ts";
import { cutResults, lengthOf, messagesOf, type Round, shortenRounds } from "./conversation.ts";

/** `task`: the first message. */
export type Conversation = { task: string; rounds: readonly Round[] };

export type AskDeps = {
  ask: AskModel;
  /** The first message in about so many characters: it may need more, and then has them. */
  taskWithin: (maxLength: number) => string;
  log: (line: string) => void;
};

/** A step makes it shorter by so much at least, so that there are some twenty tries at most. */
const keptPart = 0.7;

/** `conversation` of the answer: what the model was given. Rejects as `ask` does. */
export async function askWithin(
  { ask, taskWithin, log }: AskDeps,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<{ answer: ModelAnswer; conversation: Conversation }> {
  for (let shown = conversation; ; ) {
    try {
      const answer = await ask(messagesOf(shown.task, shown.rounds), signal);
      return { answer, conversation: shown };
    } catch (error) {
      if (!(error instanceof ModelCallError) || !error.isTooLong) throw error;
      const shorter = shorterThan(shown, taskWithin);
      if (shorter === undefined) throw tooLongFor(error);
      log("The model says that the conversation is too long: it is shortened.");
      shown = shorter;
    }
  }
}

/**
 * Older steps go first. Where there are none, the outputs of the last steps lose their middle, and
 * then the task what it can lose.
 */
function shorterThan(
  { task, rounds }: Conversation,
  taskWithin: AskDeps["taskWithin"],
): Conversation | undefined {
  const [length, goal] = [lengthOf(rounds), lengthOf(rounds) * keptPart];
  for (const shorter of [shortenRounds(rounds, goal), cutResults(rounds, goal)])
    if (lengthOf(shorter) <= length * 0.95) return { task, rounds: shorter };
  const lessTask = taskWithin(task.length * keptPart);
  return lessTask.length < task.length ? { task: lessTask, rounds } : undefined;
}

function tooLongFor(error: ModelCallError): ModelCallError {
  return new ModelCallError(
    `${error.message} Nothing more can be left out of the conversation: the goal, the target and what people have said stay. The work needs a model that takes more.`,
    { isRetryable: false, isTooLong: true, cause: error },
  );
}
