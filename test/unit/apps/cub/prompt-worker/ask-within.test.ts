// A conversation that is too long for the model is shortened, and the model is asked again.
import { expect, test } from "bun:test";
import type { AskModel } from "../../../../../apps/cub/prompt-worker/ask-model.ts";
import { askWithin } from "../../../../../apps/cub/prompt-worker/ask-within.ts";
import { ModelCallError } from "../../../../../apps/cub/prompt-worker/call-error.ts";
import { lengthOf, type Round } from "../../../../../apps/cub/prompt-worker/conversation.ts";

const rounds: Round[] = Array.from({ length: 6 }, (_, at) => ({
  answer: { role: "assistant", content: `step ${at}` },
  results: [{ id: `${at}`, name: "run", text: "x".repeat(1_000), isError: false }],
}));
const signal = new AbortController().signal;
const none = { message: undefined, text: "", calls: [], isCut: false };

const tooLong = "prompt is too long: 210000 tokens > 200000 maximum";

/** A model that takes so many characters. */
function model(most: number, { isTooLong = true, shortestTask = 3 } = {}) {
  const lengths: number[] = [];
  const log: string[] = [];
  const ask: AskModel = async (messages) => {
    const { length } = JSON.stringify(messages);
    lengths.push(length);
    if (length > most) throw new ModelCallError(tooLong, { isRetryable: false, isTooLong });
    return none;
  };
  const taskWithin = (length: number) => "t".repeat(Math.max(shortestTask, Math.floor(length)));
  const deps = { ask, taskWithin, log: (line: string) => log.push(line) };
  return { lengths, log, deps };
}

test("older steps are left out where the model says that it is too long", async () => {
  const { lengths, log, deps } = model(4_500);
  const { conversation } = await askWithin(deps, { task: "Go.", rounds }, signal);
  expect(lengths.length).toBeGreaterThan(1);
  expect(lengths.at(-1)).toBeLessThan(4_500);
  expect(conversation.task).toBe("Go.");
  expect(conversation.rounds.slice(-2)).toEqual(rounds.slice(-2));
  expect(log[0]).toBe("The model says that the conversation is too long: it is shortened.");
});

test("then the last steps' outputs lose their middle, and the task what it can lose", async () => {
  const last = model(1_900);
  const { conversation } = await askWithin(last.deps, { task: "Go.", rounds }, signal);
  const texts = conversation.rounds.flatMap(({ results }) => results.map(({ text }) => text));
  expect(texts.slice(-2).every((text) => /^x+\n\[… \d+ characters are left out/.test(text))).toBe(
    true,
  );
  const task = "t".repeat(50_000);
  const whole = model(9_000);
  const shorter = await askWithin(whole.deps, { task, rounds }, signal);
  expect(shorter.conversation.task.length).toBeLessThan(9_000);
  expect(lengthOf(shorter.conversation.rounds)).toBeGreaterThan(1_000);
});

test("another refusal, and a conversation that cannot be shorter, are the model's last word", async () => {
  const conversation = { task: "t".repeat(1_000), rounds };
  const other = model(0, { isTooLong: false });
  await expect(askWithin(other.deps, conversation, signal)).rejects.toThrow(tooLong);
  expect(other.lengths).toHaveLength(1);
  const small = model(0, { shortestTask: 900 });
  await expect(askWithin(small.deps, conversation, signal)).rejects.toThrow(
    `${tooLong} Nothing more can be left out of the conversation`,
  );
  expect(small.lengths.length).toBeLessThan(20);
});
