// The conversation so far, in rounds, and what is left out of it where it grows too long.
import type { AssistantModelMessage, ModelMessage } from "ai";
import { cutMiddle } from "./cut-middle.ts";
import { fitLengths, minExcerpt } from "./fit-lengths.ts";
import { planName } from "./tools/plan.ts";

/**
 * A turn is what one answer of the model led to. `answer` undefined: it was empty. `note`: words of
 * the worker after it. `plan`: the model's own, of a round that was left out. `remarks`: the words
 * of people, which are never left out.
 */
export type Round = {
  answer: AssistantModelMessage | undefined;
  results: readonly ToolText[];
  note?: string;
  plan?: string;
  remarks?: string;
};

/** `isError`: the call was wrong in itself: an unknown tool, malformed arguments. */
export type ToolText = { id: string; name: string; text: string; isError: boolean };

/** The last rounds stay whole: the model works with them. */
const keptRounds = 2;
const minOmitted = 200;
/** A plan that never goes must leave a small model some room. */
const maxPlanLength = 4_000;
const leftOut = "[Earlier steps are left out here to save space.]";

/**
 * The rounds themselves where they have at most `maxLength` characters. Else, down to three fifths
 * of it, so that the beginning of the conversation does not change at every step, which would cost
 * the provider's cache: first the outputs of tools, oldest first, then whole rounds, oldest first.
 */
export function shortenRounds(rounds: readonly Round[], maxLength: number): readonly Round[] {
  if (lengthOf(rounds) <= maxLength) return rounds;
  const goal = maxLength * 0.6;
  const shortened = [...rounds];
  const old = Math.max(0, rounds.length - keptRounds);
  const plan = rounds.findLastIndex((round) => planIn(round) !== undefined);
  for (let index = 0; index < old && lengthOf(shortened) > goal; index++) {
    const round = shortened[index];
    if (round !== undefined)
      shortened[index] = {
        ...round,
        results: round.results.map((one) =>
          index === plan && one.name === planName ? one : withoutText(one),
        ),
      };
  }
  if (lengthOf(shortened) <= maxLength) return shortened;
  let from = 0;
  while (from < old && lengthOf(shortened.slice(from)) > goal) from++;
  if (from === 0) return shortened;
  const said = shortened.slice(0, from).flatMap(({ remarks }) => remarks ?? []);
  const planned = plan < from ? planIn(shortened[plan]) : undefined;
  const first: Round = {
    answer: undefined,
    results: [],
    note: leftOut,
    ...(planned !== undefined && { plan: cutMiddle(planned, maxPlanLength) }),
    ...(said.length > 0 && { remarks: said.join("\n\n") }),
  };
  return [first, ...shortened.slice(from)];
}

/** The newest plan of a round. */
function planIn(round: Round | undefined): string | undefined {
  const made = round?.results.findLast(({ name, isError }) => name === planName && !isError);
  return made?.text ?? round?.plan;
}

function withoutText(result: ToolText): ToolText {
  if (result.text.length <= minOmitted) return result;
  return {
    ...result,
    text: `[${result.text.length} characters of output are left out here to save space]`,
  };
}

/**
 * The rounds with outputs of one common length at most, so that they have about `maxLength`
 * characters together, but never outputs of less than `minExcerpt`. The longest lose first.
 */
export function cutResults(rounds: readonly Round[], maxLength: number): readonly Round[] {
  const outputs = rounds.flatMap(({ results }) => results.map(({ text }) => text.length));
  const others = lengthOf(rounds) - outputs.reduce((total, length) => total + length, 0);
  const texts = outputs.map((length) => ({ length, isProtected: length <= minExcerpt }));
  const fitting = fitLengths(texts, maxLength - others);
  let index = 0;
  return rounds.map((round) => ({
    ...round,
    results: round.results.map((result) => ({
      ...result,
      text: cutMiddle(result.text, Math.max(fitting[index++] ?? 0, minExcerpt)),
    })),
  }));
}

export function lengthOf(rounds: readonly Round[]): number {
  const lengths = rounds.map(({ answer, results, note = "", plan = "", remarks = "" }) => {
    const said = answer === undefined ? 0 : JSON.stringify(answer.content).length;
    return (
      said +
      note.length +
      plan.length +
      remarks.length +
      results.reduce((total, { text }) => total + text.length, 0)
    );
  });
  return lengths.reduce((total, length) => total + length, 0);
}

/** Returns what the provider gets. `first`: the task. */
export function messagesOf(first: string, rounds: readonly Round[]): ModelMessage[] {
  return [{ role: "user", content: first }, ...rounds.flatMap(roundMessages)];
}

function roundMessages({ answer, results, note, plan, remarks }: Round): ModelMessage[] {
  const messages: ModelMessage[] = answer === undefined ? [] : [answer];
  if (results.length > 0) {
    const content = results.map(({ id, name, text, isError }) => ({
      type: "tool-result" as const,
      toolCallId: id,
      toolName: name,
      output: { type: isError ? ("error-text" as const) : ("text" as const), value: text },
    }));
    messages.push({ role: "tool", content });
  }
  const said = [note, plan, remarks].filter((text) => text !== undefined).join("\n\n");
  if (said !== "") messages.push({ role: "user", content: said });
  return messages;
}
