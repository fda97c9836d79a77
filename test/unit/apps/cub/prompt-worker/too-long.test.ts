// What providers and servers say where a conversation is too long for the model.
import { expect, test } from "bun:test";
import { saysTooLong } from "../../../../../apps/cub/prompt-worker/too-long.ts";

const sentences = {
  Anthropic: "prompt is too long: 210000 tokens > 200000 maximum",
  "Anthropic, with the answer's limit":
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
  OpenAI:
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
  "OpenAI's Responses":
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "OpenAI, for a minute":
    "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 45000. Visit https://platform.openai.com/account/rate-limits to learn more.",
  "llama.cpp": "the request exceeds the available context size, try increasing it",
  "llama.cpp, newer":
    "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
  vLLM: "This model's maximum context length is 4096 tokens. However, you requested 5000 output tokens",
  "vLLM, older":
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
  Ollama: "prompt too long; exceeded max context length by 4096 tokens",
  "LM Studio":
    "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
  Gemini: "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
  Bedrock: "Input is too long for requested model.",
  xAI: "This model's maximum prompt length is 131072 but the request contains 500000 tokens.",
  Groq: "Please reduce the length of the messages or completion.",
  Mistral:
    "Prompt contains 300000 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
  Kimi: "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
  Poolside: "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
  Together: "The input (265330 tokens) is longer than the model's context length (262144 tokens).",
  Copilot: "prompt token count of 145000 exceeds the limit of 128000",
  DashScope: "Range of input length should be [1, 129024]",
  MiniMax: "invalid params, context window exceeds limit (2013)",
};

for (const [server, said] of Object.entries(sentences))
  test(`a conversation is too long where the server says it: ${server}`, () => {
    expect([400, 500].map((status) => saysTooLong(status, { said }))).toEqual([true, true]);
  });

test("a code says it, and a refusal of the length without a word", () => {
  expect(saysTooLong(400, { said: "No.", code: "context_length_exceeded" })).toBe(true);
  expect(saysTooLong(400, { said: "No.", code: 400, type: "exceed_context_size_error" })).toBe(
    true,
  );
  expect(saysTooLong(413, { said: "No.", type: "request_too_large" })).toBe(true);
  expect(saysTooLong(413, {})).toBe(true);
});

test("other refusals do not say it", () => {
  const others: [number, string | undefined][] = [
    [400, undefined],
    [400, "messages: text content blocks must be non-empty"],
    [401, "the prompt is too long ago"],
    [429, "Too many tokens, please wait before trying again."],
    [429, "Rate limit reached: too many tokens per minute"],
    [400, "max_tokens: 999999 > 64000, which is the maximum allowed number of output tokens"],
    [500, "Internal server error"],
  ];
  for (const [status, said] of others)
    expect([said, saysTooLong(status, { said })]).toEqual([said, false]);
});
