// The usage of streams, however their bytes are cut into chunks.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { CostlyApi } from "../../../../lib/model/model-call.ts";
import { StreamMeter } from "../../../../lib/models/stream-meter.ts";

const event = (data: unknown, name?: string) =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const messages = [
  event(
    {
      type: "message_start",
      message: {
        model: "claude-x",
        usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 },
      },
    },
    "message_start",
  ),
  ": ping\r\n\r\n",
  event(
    { type: "content_block_delta", delta: { type: "text_delta", text: 'æ "usage" \\"error\\"' } },
    "content_block_delta",
  ),
  event(
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { output_tokens: 42, input_tokens: null },
    },
    "message_delta",
  ),
  event({ type: "message_stop" }, "message_stop"),
];
const chat = [
  event({
    model: "gpt-x",
    choices: [{ index: 0, delta: { content: "ö\n\ndata: x" } }],
    usage: null,
  }),
  event({ model: "gpt-x", choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: null }),
  event({ model: "gpt-x", choices: [], usage: { prompt_tokens: 15, completion_tokens: 42 } }),
  "data: [DONE]\n\n",
];
const responses = [
  event({ type: "response.created", response: { id: "resp_1", model: "gpt-x", usage: null } }),
  event({ type: "response.output_text.delta", delta: "hello" }),
  event({
    type: "response.completed",
    response: { id: "resp_1", model: "gpt-x", usage: { input_tokens: 15, output_tokens: 42 } },
  }),
];
const streams: Record<CostlyApi, string[]> = { messages, chat, responses };

/** Pushes the text in chunks that end at these places. */
function measure(api: CostlyApi, text: string, cuts: readonly number[], hidesUsage = false) {
  const bytes = new TextEncoder().encode(text);
  const meter = new StreamMeter(api, { hidesUsage });
  const places = [
    0,
    ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b),
    bytes.length,
  ];
  const shown = places
    .slice(1)
    .map((end, index) => meter.push(bytes.slice(places[index], end)).slice());
  return { meter, text: new TextDecoder().decode(Buffer.concat([...shown, meter.finish()])) };
}

test.each(["messages", "chat", "responses"] as const)(
  "%s: however it is cut, the usage is the same and nothing of the text changes",
  (api) => {
    const text = streams[api].join("");
    fc.assert(
      fc.property(fc.array(fc.nat(2_000), { maxLength: 30 }), fc.boolean(), (cuts, hidesUsage) => {
        const { meter, text: shown } = measure(api, text, cuts, hidesUsage);
        const isHidden = hidesUsage && api === "chat";
        expect(shown).toBe(
          isHidden ? streams.chat.filter((_, index) => index !== 2).join("") : text,
        );
        expect(meter.usageAt({ isWhole: true })).toMatchObject({ input: 15, output: 42 });
        expect([meter.isComplete, meter.isWhole, meter.problem]).toEqual([true, true, undefined]);
        expect(meter.answeredModel).toBe(api === "messages" ? "claude-x" : "gpt-x");
      }),
    );
  },
);

test.each(["messages", "chat", "responses"] as const)(
  "%s: a stream that stops before its last event has no usage",
  (api) => {
    const { meter } = measure(api, streams[api].slice(0, api === "messages" ? 3 : 1).join(""), []);
    expect(meter.usageAt({ isWhole: false })).toBeUndefined();
    expect([meter.isComplete, meter.isWhole]).toEqual([false, false]);
  },
);

test("Anthropic's beginning says what the input was", () => {
  const { meter } = measure("messages", messages.slice(0, 2).join(""), []);
  expect(meter.begun).toMatchObject({ input: 15, cached: 5 });
});

test("an error in a stream is known by its words", () => {
  const anthropic = measure(
    "messages",
    event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "error"),
    [],
  );
  expect(anthropic.meter.problem).toBe("Overloaded");
  const failed = {
    type: "response.failed",
    response: { error: { message: "It broke" }, usage: null },
  };
  expect(measure("responses", event(failed), []).meter.problem).toBe("It broke");
  const stopped = { type: "error", code: "server_error", message: "It stopped", param: null };
  const { problem, isWhole } = measure("responses", event(stopped), []).meter;
  expect({ problem, isWhole }).toEqual({ problem: "It stopped", isWhole: true });
});

test("an event that never ends is passed on, and fills no memory", () => {
  const meter = new StreamMeter("chat", { hidesUsage: true });
  const chunk = new Uint8Array(1024 * 1024).fill(65);
  let shown = 0;
  for (let megabytes = 0; megabytes < 20; megabytes++) shown += meter.push(chunk).length;
  expect(shown + meter.finish().length).toBe(20 * chunk.length);
  expect(shown).toBeGreaterThan(0);
});

test.each(["messages", "chat", "responses"] as const)(
  "%s: the last event counts without a blank line behind it",
  (api) => {
    const text = streams[api].join("").trimEnd();
    const { meter, text: shown } = measure(api, text, []);
    expect(shown).toBe(text);
    expect(meter.usageAt({ isWhole: true })).toMatchObject({ input: 15, output: 42 });
    expect(meter.isWhole).toBe(true);
  },
);

test("a usage that was not asked for is left out also where it ends the stream", () => {
  const { text } = measure("chat", streams.chat.slice(0, 3).join("").trimEnd(), [], true);
  expect(text).toBe(streams.chat.slice(0, 2).join(""));
});

const words = "word ".repeat(300);

/** `came` in bytes, of a stream of Chat Completions with these events. */
function cameOf(events: readonly object[], end = "\n\n") {
  const text = [...events.map((one) => JSON.stringify(one)), "[DONE]"]
    .map((data) => `data: ${data}${end}`)
    .join("");
  return measure("chat", text, []).meter.came.bytes;
}

test.each([
  ["lines that end in a carriage return", [{ choices: [{ delta: { content: words } }] }], "\r\r"],
  ["whole messages", [{ choices: [{ message: { content: words } }] }], "\n\n"],
  ["a form that is not known", [{ done: false, response: words }], "\n\n"],
] as const)("a stream in %s has come all the same", (_, events, end) => {
  expect(cameOf(events, end)).toBeGreaterThanOrEqual(words.length);
});

test("words that are in an event twice count once, and those that no model has written do not", () => {
  const delta = {
    ...{ reasoning: words, reasoning_content: words, content: "" },
    reasoning_details: [{ type: "reasoning.text", text: words, format: "anthropic-claude-v1" }],
    tool_calls: [{ extra_content: { google: { thought_signature: "A".repeat(5_000) } } }],
  };
  expect(cameOf([{ choices: [{ delta, message: { content: words } }] }])).toBe(words.length);
  const citation = { type: "char_location", cited_text: words, document_title: "Doors" };
  const cited = event({
    type: "content_block_delta",
    delta: { type: "citations_delta", citation },
  });
  expect(measure("messages", cited, []).meter.came.bytes).toBe(0);
});

test("words that Responses send in whole items alone have come, and once where parts have them as well", () => {
  const words = "word ".repeat(300);
  const item = { type: "message", content: [{ type: "output_text", text: words }] };
  const items = [
    event({ type: "response.reasoning_summary_text.delta", delta: "Hm." }),
    event({ type: "response.output_item.done", item }),
  ];
  const cut = measure("responses", items.join(""), []).meter.came;
  expect(cut).toMatchObject({ bytes: words.length, signs: words.length });
  const end = event({
    type: "response.completed",
    response: { output: [], usage: { input_tokens: 15, output_tokens: 2 } },
  });
  expect(measure("responses", [...items, end].join(""), []).meter.came).toEqual(cut);
  const part = event({ type: "response.output_text.delta", delta: words });
  expect(measure("responses", [part, items[1], end].join(""), []).meter.came.bytes).toBe(
    words.length,
  );
});
