// A conversation that is too long for the model is shortened, and the model is asked again.
import { expect, test } from "bun:test";
import type { AskModel } from "../../../../../apps/cub/prompt-worker/ask-model.ts";
import { askWithin } from "../../../../../apps/cub/prompt-worker/ask-within.ts";
import { ModelCallError } from "../../../../../apps/cub/prompt-worker/call-error.ts";
import type { Round } from "../../../../../apps/cub/prompt-worker/conversation.ts";

const rounds: Round[] = Array.from({ length: 6 }, (_, at) => ({
  answer: { role: "assistant", content: `step ${at}` },
  results: [{ id: `${at}`, name: "run", text: "x".repeat(1_000), isError: false }],
}));
const signal = new AbortController().signal;
const none = { message: undefined, text: "", calls: [], isCut: false };

/** A model that takes so many characters. */
function model(most: number, words: string) {
  const lengths: number[] = [];
  const ask: AskModel = async (messages) => {
    const { length } = JSON.stringify(messages);
    lengths.push(length);
    if (length > most)
      throw new ModelCallError(`The model's API answered with 400: ${words}`, {
        isRetryable: false,
      });
    return none;
  };
  return { lengths, order: { ask, task: "Go.", log: () => {} } };
}

const sentences = [
  "prompt is too long: 210000 tokens > 200000 maximum",
  "This model's maximum context length is 128000 tokens.",
  "the request exceeds the available context size, try increasing it",
];

for (const words of sentences)
  test(`older steps are left out where the model says: ${words}`, async () => {
    const { lengths, order } = model(4_500, words);
    const { rounds: shown } = await askWithin(order, rounds, signal);
    expect(lengths.length).toBeGreaterThan(1);
    expect(lengths.at(-1)).toBeLessThan(4_500);
    expect(shown.slice(-2)).toEqual(rounds.slice(-2));
  });

test("another refusal, and a conversation that cannot be shorter, are the model's last word", async () => {
  const other = model(0, "the key is wrong");
  await expect(askWithin(other.order, rounds, signal)).rejects.toThrow("the key is wrong");
  expect(other.lengths).toHaveLength(1);
  const small = model(0, "prompt is too long");
  await expect(askWithin(small.order, rounds, signal)).rejects.toThrow("prompt is too long");
});
