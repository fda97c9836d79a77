// A call has a worst case in cost.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { CostlyApi } from "../../../../lib/model/model-call.ts";
import { type ModelRequest, readRequest } from "../../../../lib/models/request.ts";
import { amountsOf, boundOf, sharedPrefix } from "../../../../lib/models/worst-case.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function requestOf(body: unknown, api: CostlyApi = "chat"): ModelRequest {
  const read = readRequest(api, bytes(typeof body === "string" ? body : JSON.stringify(body)));
  if ("problem" in read) throw new Error(read.problem);
  return read.request;
}

const price = { input: 2, output: 10 };
const slack = 2_048;

test("input is bounded by the bytes of the request, and output by the limit that it names", () => {
  const request = requestOf({ max_tokens: 100, messages: [{ role: "user", content: "æ" }] });
  expect(boundOf(request, {})).toEqual({ input: request.body.length + slack, output: 100 });
});

test.each([
  ["chat", { max_tokens: 10, max_completion_tokens: 70 }, 70],
  ["chat", { max_tokens: 10, n: 3 }, 30],
  ["chat", { n: 2 }, 2_000],
  ["chat", { max_tokens: 10, n_predict: 900 }, 900],
  ["chat", { max_tokens: 10, best_of: 4 }, 40],
  ["chat", { max_tokens: null }, 1_000],
  ["messages", { max_tokens: 5 }, 5],
  ["responses", { max_output_tokens: 7 }, 7],
  // Not the limit of this API.
  ["responses", { max_tokens: 7 }, 1_000],
] as const)("%s with %o may answer with %i tokens", (api, body, output) => {
  expect(boundOf(requestOf(body, api), { max_output: 1_000 }).output).toBe(output);
});

test("a model whose longest answer is not known is reckoned with 32768 tokens", () => {
  expect(boundOf(requestOf({}), {}).output).toBe(32_768);
});

test("what a conversation has in common with a counted one costs what was counted", () => {
  const first = { messages: [{ role: "user", content: "x".repeat(50_000) }] };
  const counted = { body: requestOf(first).body, input: 9_000 };
  const request = requestOf({ messages: [...first.messages, { role: "user", content: "more" }] });
  const { input } = boundOf(request, {}, { counted });
  expect(input).toBeGreaterThan(9_000 + slack);
  expect(input).toBeLessThan(9_000 + slack + 100);
});

test("a counted request makes no reckoning larger, and none where the provider may have counted less than it got", () => {
  const request = requestOf({ messages: [] });
  expect(boundOf(request, {}, { counted: { body: bytes("{"), input: 1_000_000 } })).toEqual(
    boundOf(request, {}),
  );
  const cut = requestOf({ input: "x".repeat(9_000), truncation: "auto" }, "responses");
  expect(boundOf(cut, {}, { counted: { body: cut.body, input: 10 } }).input).toBeGreaterThan(9_000);
});

test.each([
  [
    "a tool that is deferred",
    "messages",
    { tools: [{ name: "late", defer_loading: true, description: "x".repeat(9_000) }] },
  ],
] as const)("%s may count more the next time", (_, api, body) => {
  const request = requestOf(body, api);
  expect(boundOf(request, {}, { counted: { body: request.body, input: 10 } })).toEqual(
    boundOf(request, {}),
  );
});

test("pictures and documents may be more tokens than bytes, also in what comes after a counted request", () => {
  const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const first = { messages: [{ role: "user", content: "x".repeat(5_000) }] };
  const request = requestOf({
    messages: [...first.messages, { role: "user", content: [picture] }],
  });
  expect(boundOf(request, {}).input).toBeGreaterThan(50_000);
  const counted = { body: requestOf(first).body, input: 2_000 };
  const { input } = boundOf(request, {}, { counted });
  expect(input).toBeGreaterThan(52_000);
  expect(input).toBeLessThan(55_000);
  const document = { type: "document", source: { type: "base64", data: "JVBE" } };
  expect(
    boundOf(requestOf({ messages: [{ role: "user", content: [document] }] }, "messages"), {}).input,
  ).toBeGreaterThan(1_000_000);
});

test("a type that is written with escapes is seen, too", () => {
  const text = '{"messages":[{"role":"user","content":[{"\\u0074ype":"im\\u0061ge_url"}]}]}';
  const request = requestOf(text);
  expect(boundOf(request, {}).input).toBeGreaterThan(50_000);
  expect(
    boundOf(request, {}, { counted: { body: request.body, input: 10 } }).input,
  ).toBeGreaterThan(50_000);
});

test("the words of a message are no pictures", () => {
  const request = requestOf({ messages: [{ role: "user", content: '{"type":"image"}' }] });
  expect(boundOf(request, {}).input).toBeLessThan(3_000);
});

test("money is reckoned at the dearest price of input", () => {
  const request = requestOf({ max_tokens: 100 }, "messages");
  const bound = { input: 1_000, output: 100 };
  const amounts = (over: object, of = request) =>
    amountsOf(bound, { price: { ...price, ...over } }, of).nanousd;
  expect(amounts({})).toBe(3_000_000);
  expect(amounts({ cache_write: 2.5, cached_input: 0.2 })).toBe(3_500_000);
  const long = requestOf(
    { system: [{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } }] },
    "messages",
  );
  expect(amounts({ cache_write: 2.5 }, long)).toBe(5_000_000);
  for (const [ttl, nanousd] of [
    ...[["1\\u0068", 5_000_000] as const, ["\\u0031h", 5_000_000] as const],
    ...[["\\u00e9", 3_000_000] as const, ['a \\"1h\\"', 3_000_000] as const],
  ])
    expect(amounts({}, { ...long, text: `{"ttl":"${ttl}"}` })).toBe(nanousd);
  expect(amountsOf(bound, {}, request)).toEqual({
    nanousd: 0,
    tokens: 1_100,
    calls: 1,
  });
});

test("the shared prefix of any two texts is the longest one", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 40 }),
      fc.string({ maxLength: 20 }),
      fc.string({ maxLength: 20 }),
      fc.nat(40_000),
      (a, b, c, many) => {
        const start = "y".repeat(many) + a;
        const [one, other] = [bytes(start + b), bytes(start + c)];
        const shared = sharedPrefix(one, other);
        expect(one.subarray(0, shared)).toEqual(other.subarray(0, shared));
        expect(
          shared === one.length || shared === other.length || one[shared] !== other[shared],
        ).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});

test("a reckoning from a counted request holds for any two conversations, with a tokenizer that counts bytes", () => {
  const message = fc.record({
    role: fc.constant("user"),
    content: fc.string({ unit: "grapheme", maxLength: 60 }),
  });
  const conversation = fc.record({
    messages: fc.array(message, { maxLength: 6 }),
    user: fc.string({ maxLength: 10 }),
  });
  // The worst that a provider could count: every byte of what the messages say.
  const count = (body: { messages: { content: string }[] }) =>
    body.messages.reduce((sum, { content }) => sum + bytes(content).length, 0);
  fc.assert(
    fc.property(conversation, conversation, fc.nat(6), (one, other, kept) => {
      const next = { ...other, messages: [...one.messages.slice(0, kept), ...other.messages] };
      const counted = { body: requestOf(one).body, input: count(one) };
      expect(boundOf(requestOf(next), {}, { counted }).input).toBeGreaterThanOrEqual(count(next));
    }),
  );
});
