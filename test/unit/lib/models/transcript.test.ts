import { describe, expect, test } from "bun:test";
import { conversationsOf } from "../../../../lib/models/transcript.ts";
import type { Turn } from "../../../../lib/models/transcript-parts.ts";

const text = (role: Turn["role"], words: string): Turn => ({
  role,
  parts: [{ kind: "text", text: words }],
});
const stream = (...events: object[]) =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join("");

const call = { kind: "call", id: "c1", name: "run", input: '{"command":"ls"}' } as const;
const result = { kind: "result", id: "c1", text: "a.txt", isError: false } as const;
const whole: Turn[] = [
  text("system", "Be careful."),
  text("user", "List the files."),
  { role: "assistant", parts: [{ kind: "text", text: "I look." }, call] },
  { role: "tool", parts: [result] },
  text("assistant", "There is one file."),
];

const anthropic = {
  system: [{ type: "text", text: "Be careful.", cache_control: { type: "ephemeral" } }],
  messages: [
    { role: "user", content: "List the files." },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "c1", name: "run", input: { command: "ls" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "a.txt" }] },
      ],
    },
  ],
};
const chat = {
  messages: [
    { role: "system", content: "Be careful." },
    { role: "user", content: [{ type: "text", text: "List the files." }] },
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "run", arguments: '{"command":"ls"}' } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "a.txt" },
  ],
};
const responses = {
  instructions: "Be careful.",
  input: [
    { role: "user", content: [{ type: "input_text", text: "List the files." }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
    { type: "function_call", call_id: "c1", name: "run", arguments: '{"command":"ls"}' },
    { type: "function_call_output", call_id: "c1", output: "a.txt" },
  ],
};

describe.each([
  [
    "messages",
    anthropic,
    JSON.stringify({ content: [{ type: "text", text: "There is one file." }] }),
    stream(
      { type: "message_start", message: {} },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "There is " } },
      { type: "ping" },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "one file." } },
      { type: "message_stop" },
    ),
  ],
  [
    "chat",
    chat,
    JSON.stringify({
      choices: [{ message: { role: "assistant", content: "There is one file." } }],
    }),
    `${stream({ choices: [{ delta: { content: "There is " } }] }, { choices: [{ delta: { content: "one file." } }] }, { choices: [], usage: {} })}data: [DONE]\n\n`,
  ],
  [
    "responses",
    responses,
    JSON.stringify({
      output: [
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "There is one file." }],
        },
      ],
    }),
    stream(
      { type: "response.output_text.delta", delta: "There" },
      {
        type: "response.completed",
        response: {
          output: [
            {
              type: "message",
              role: "assistant",
              content: [{ type: "output_text", text: "There is one file." }],
            },
          ],
        },
      },
    ),
  ],
] as const)("a conversation by the API %s", (api, request, answer, streamed) => {
  const asText = JSON.stringify(request);

  test("has the same turns from an answer as a whole and from a stream", () => {
    const expected = [{ turns: whole, calls: [0], isAnswered: true }];
    expect(conversationsOf([{ api, request: asText, answer }])).toEqual(expected);
    expect(conversationsOf([{ api, request: asText, answer: streamed }])).toEqual(expected);
  });

  test("shows what was sent where the answer is missing, or no answer", () => {
    for (const none of [undefined, "", "<html>", '{"error":{"message":"Too many requests"}}'])
      expect(conversationsOf([{ api, request: asText, answer: none }])).toEqual([
        { turns: whole.slice(0, -1), calls: [0], isAnswered: false },
      ]);
  });

  test("of a body that is no request there is none", () => {
    for (const none of [undefined, "", "null", "[]", '{"messages":7}', "not JSON"])
      expect(conversationsOf([{ api, request: none, answer }])).toEqual([]);
  });
});

test("streamed calls of tools are put together from their pieces", () => {
  const inputs = ['{"comm', 'and":"ls"}'];
  const messages = stream(
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id: "c1", name: "run", input: {} },
    },
    ...inputs.map((partial_json) => ({
      type: "content_block_delta",
      index: 1,
      delta: { type: "input_json_delta", partial_json },
    })),
  );
  const [first] = conversationsOf([
    { api: "messages", request: JSON.stringify(anthropic), answer: messages },
  ]);
  expect(first?.turns.at(-1)).toEqual({
    role: "assistant",
    parts: [{ kind: "reasoning", text: "Hm." }, call],
  });
  const deltas = inputs.map((piece, index) => ({
    choices: [
      {
        delta: {
          tool_calls: [
            {
              index: 0,
              ...(index === 0 && { id: "c1" }),
              function: { ...(index === 0 && { name: "run" }), arguments: piece },
            },
          ],
        },
      },
    ],
  }));
  const [second] = conversationsOf([
    { api: "chat", request: JSON.stringify(chat), answer: stream(...deltas) },
  ]);
  expect(second?.turns.at(-1)).toEqual({ role: "assistant", parts: [call] });
  const items = stream({ type: "response.output_item.done", item: responses.input[2] ?? {} });
  const [third] = conversationsOf([
    { api: "responses", request: JSON.stringify(responses), answer: items },
  ]);
  expect(third?.turns.at(-1)).toEqual({ role: "assistant", parts: [call] });
});

test("a stream that broke off shows what had come", () => {
  const broken = `${stream(
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "There is" } },
  )}event: content_block_delta\ndata: {"type":"cont`;
  const [only] = conversationsOf([
    { api: "messages", request: JSON.stringify(anthropic), answer: broken },
  ]);
  expect(only?.turns.at(-1)).toEqual(text("assistant", "There is"));
});

test("a request that begins with an earlier one continues its conversation, and another one is another conversation", () => {
  const upTo = (count: number) =>
    JSON.stringify({ ...chat, messages: chat.messages.slice(0, count) });
  const title = JSON.stringify({ messages: [{ role: "user", content: "Make a title." }] });
  const answer = JSON.stringify({ choices: [{ message: { content: "There is one file." } }] });
  const found = conversationsOf([
    { api: "chat", request: upTo(2), answer: undefined },
    { api: "chat", request: title, answer: undefined },
    { api: "other", request: "{}", answer: "{}" },
    { api: "chat", request: upTo(4), answer },
  ]);
  expect(found).toEqual([
    { turns: whole, calls: [0, 3], isAnswered: true },
    { turns: [text("user", "Make a title.")], calls: [1], isAnswered: false },
  ]);
});

test("the failure of a tool is marked, and what is no text is named", () => {
  const content = [
    { type: "tool_result", tool_use_id: "c1", content: "No such file", is_error: true },
    { type: "image", source: {} },
  ];
  const request = JSON.stringify({ messages: [{ role: "user", content }] });
  expect(conversationsOf([{ api: "messages", request, answer: undefined }])[0]?.turns).toEqual([
    { role: "tool", parts: [{ kind: "result", id: "c1", text: "No such file", isError: true }] },
    { role: "user", parts: [{ kind: "other", text: "image" }] },
  ]);
});
