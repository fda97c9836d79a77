// Asks the model with as much of the conversation as it takes: where its server says that it is too
// long, older steps are left out, and it is asked again.
import type { AskModel, ModelAnswer } from "./ask-model.ts";
import { ModelCallError } from "./call-error.ts";
import { lengthOf, messagesOf, type Round, shortenRounds } from "./conversation.ts";

/** These are the words of servers that are in use, which have no common sign for it. */
const tooLong =
  /answered with 4\d\d: .*(?:context[ _](?:length|size|window)|(?:prompt|input|request) is too long|too many (?:input )?tokens)/is;

const keptPart = 0.7;

/** `rounds` of the answer: those that the model was given. Rejects as `ask` does. */
export async function askWithin(
  { ask, task, log }: { ask: AskModel; task: string; log: (line: string) => void },
  rounds: readonly Round[],
  signal: AbortSignal,
): Promise<{ answer: ModelAnswer; rounds: readonly Round[] }> {
  for (let shown = rounds; ; ) {
    try {
      return { answer: await ask(messagesOf(task, shown), signal), rounds: shown };
    } catch (error) {
      if (!(error instanceof ModelCallError) || !tooLong.test(error.message)) throw error;
      const shorter = shortenRounds(shown, lengthOf(shown) * keptPart);
      // The last steps stay whole, and so does the task.
      if (lengthOf(shorter) >= lengthOf(shown)) throw error;
      log("The model says that the conversation is too long: older steps are left out.");
      shown = shorter;
    }
  }
}
