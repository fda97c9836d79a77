import { expect, test } from "bun:test";
import { chargeOf } from "../../../../apps/gateway/charge.ts";
import type { JsonObject } from "../../../../lib/model/json.ts";
import type { CostlyApi } from "../../../../lib/model/model-call.ts";
import { sizeOf } from "../../../../lib/models/answer-size.ts";
import { apis } from "../../../../lib/models/apis.ts";
import { noUsage } from "../../../../lib/models/cost.ts";
import { readRequest } from "../../../../lib/models/request.ts";
import { amountsOf, boundOf } from "../../../../lib/models/worst-case.ts";

const cameInAnswer = (answer: JsonObject) => sizeOf(apis.chat.writtenInAnswer(answer));

const price = { input: 2, output: 10 };
const words = "word ".repeat(300);

/** `over`: members of the request besides its one message. */
function termsOf(
  over: object = {},
  { model = "plain", workedMs = 1_000, api = "chat" as CostlyApi } = {},
) {
  const content = "a question with some words ".repeat(56);
  const json = { model: "any", max_tokens: 1_000, messages: [{ role: "user", content }], ...over };
  const read = readRequest(api, new TextEncoder().encode(JSON.stringify(json)));
  if ("problem" in read) throw new Error(read.problem);
  const bound = boundOf(read.request, {});
  const settings = { model, price, provider: "openai" as const };
  return {
    request: read.request,
    model: settings,
    bound,
    workedMs,
    reserved: amountsOf(bound, settings, read.request),
  };
}

const terms = termsOf();
const came = cameInAnswer({
  choices: [{ message: { role: "assistant", content: words } }],
});
const usage = { ...noUsage, input: 500, output: 10, reasoning: 4 };

test("what the provider has reported is what the call costs", () => {
  expect(chargeOf({ usage, mayHaveCost: true, tries: 1 }, terms)).toEqual({
    usage: { input: 500, output: 10, cached: 0, cache_write: 0, reasoning: 4 },
    cost: { nanousd: 1_100_000, tokens: 510, calls: 1 },
    is_estimated: false,
    is_unpriced: false,
  });
});

test("usage that cannot be is reckoned from what was sent and what came, and marked", () => {
  const due = chargeOf({ mayHaveCost: true, tries: 1, came, isWhole: true }, terms);
  expect(due.is_estimated).toBe(true);
  // 1500 bytes each way: not less than is due, and far from what was reserved.
  expect(due.usage.input).toBeWithin(300, 700);
  expect(due.usage.output).toBeWithin(300, 600);
  expect(due.cost.nanousd).toBeLessThan(terms.reserved.nanousd / 2);
  const impossible = [
    { input: 0, output: 0 },
    { input: 500, output: 0 },
    { input: 500, output: 1 },
    { input: 500, output: 150 },
    { input: 500, output: 1e12 },
    { input: 0, output: 300 },
    { input: 1, output: 300 },
    { input: 1e12, output: 300 },
    { input: 500, output: 300, cached: 1e12 },
  ];
  for (const one of impossible) {
    const charge = chargeOf(
      {
        usage: { ...usage, reasoning: 0, ...one },
        mayHaveCost: true,
        tries: 1,
        came,
        isWhole: true,
      },
      terms,
    );
    expect([one, charge.is_estimated]).toEqual([one, true]);
    expect(charge.usage.input).toBeWithin(300, 700);
    expect(charge.usage.output).toBeWithin(300, 600);
  }
});

test("usage that can be is believed: few tokens for rows of one sign, and thoughts that were not sent", () => {
  const rows = cameInAnswer({
    choices: [{ message: { content: `x${" ".repeat(4_000)}${"=".repeat(4_000)}` } }],
  });
  expect(
    chargeOf({ usage, mayHaveCost: true, tries: 1, came: rows, isWhole: true }, terms).is_estimated,
  ).toBe(false);
  const thought = { ...usage, output: 1_900, reasoning: 1_500 };
  expect(
    chargeOf({ usage: thought, mayHaveCost: true, tries: 1, came, isWhole: true }, terms)
      .is_estimated,
  ).toBe(false);
  const image = {
    type: "image_url",
    image_url: { url: `data:image/png;base64,${"A".repeat(100_000)}` },
  };
  const seen = termsOf({ messages: [{ role: "user", content: [image] }] });
  expect(
    chargeOf({ usage: { ...usage, input: 90 }, mayHaveCost: true, tries: 1, isWhole: true }, seen)
      .is_estimated,
  ).toBe(false);
});

test("a call that ends early costs what came, with what its kind of model may have thought unseen", () => {
  const early = { ...terms, request: { ...terms.request, is_stream: true } };
  const twenty = { bytes: 60, signs: 60, pieces: 20 };
  const begun = { ...usage, output: 1 };
  expect(chargeOf({ begun, came: twenty, mayHaveCost: true, tries: 1 }, early)).toMatchObject({
    usage: { input: 500, output: 20 },
    is_estimated: true,
  });
  expect(chargeOf({ came: twenty, mayHaveCost: true, tries: 1 }, early).usage.output).toBe(20);
  const thinking = termsOf({ stream: true, reasoning_effort: "high" });
  expect(chargeOf({ came: twenty, mayHaveCost: true, tries: 1 }, thinking).usage.output).toBe(220);
  const named = termsOf({ stream: true }, { model: "gpt-5", workedMs: 60_000 });
  expect(chargeOf({ mayHaveCost: true, tries: 1 }, named).usage.output).toBe(1_000);
  const budget = { thinking: { type: "enabled", budget_tokens: 30 } };
  const ofAnthropic = termsOf({ stream: true, ...budget }, { api: "messages" });
  expect(
    chargeOf({ begun, came: twenty, mayHaveCost: true, tries: 1 }, ofAnthropic).usage.output,
  ).toBe(50);
  // An answer that is no stream is made before any of it is sent.
  expect(chargeOf({ mayHaveCost: true, tries: 1 }, { ...terms, workedMs: 500 }).usage.output).toBe(
    100,
  );
});

test("a call that reached no model costs no money, and counts as a call", () => {
  expect(chargeOf({ mayHaveCost: false, tries: 3 }, terms)).toMatchObject({
    cost: { nanousd: 0, tokens: 0, calls: 1 },
    is_estimated: false,
  });
});

test("a try that was lost costs its prompt once more, and an answer for each whole second", () => {
  const once = chargeOf({ mayHaveCost: true, tries: 1 }, { ...terms, workedMs: 0 });
  const lost = (ms: number[], over = terms) =>
    chargeOf({ mayHaveCost: false, tries: ms.length, lost: ms }, over);
  expect(lost([0, 999])).toMatchObject({
    usage: { input: 2 * once.usage.input, output: 0 },
    cost: { nanousd: 2 * once.cost.nanousd, calls: 1 },
    is_estimated: true,
  });
  expect(lost([2_500]).usage).toMatchObject({ input: once.usage.input, output: 400 });
  const streamed = { ...terms, request: { ...terms.request, is_stream: true } };
  expect(lost([60_000], streamed).usage.output).toBe(0);
  const beside = chargeOf({ usage, mayHaveCost: true, tries: 2, lost: [5] }, terms);
  expect(beside).toMatchObject({
    usage: { input: 500 + once.usage.input, output: 10 },
    is_estimated: true,
  });
  expect(lost(Array(100).fill(60_000))).toMatchObject({ cost: { tokens: terms.reserved.tokens } });
  expect(lost(Array(100).fill(60_000)).cost.nanousd).toBeLessThanOrEqual(terms.reserved.nanousd);
});

test("what the provider was never asked is no call", () => {
  expect(chargeOf({ mayHaveCost: false, tries: 0 }, terms).cost).toEqual({
    nanousd: 0,
    tokens: 0,
    calls: 0,
  });
});

test("without a price only tokens and calls count", () => {
  const free = {
    ...terms,
    model: { model: "plain", price: undefined },
    reserved: { ...terms.reserved, nanousd: 0 },
  };
  expect(chargeOf({ usage, mayHaveCost: true, tries: 1 }, free)).toMatchObject({
    cost: { nanousd: 0, tokens: 510, calls: 1 },
    is_unpriced: true,
  });
});

test("arguments of a call count whole, by whatever names, and so does text in Chinese", () => {
  const input = {
    data: words,
    type: "x".repeat(200),
    rows: Array.from({ length: 300 }, (_, at) => at / 7),
  };
  const content = [{ type: "tool_use", id: "toolu_1", name: "write", input }];
  const few = { ...usage, output: 20 };
  const measured = { mayHaveCost: true, tries: 1, isWhole: true };
  const called = sizeOf(apis.messages.writtenInAnswer({ content }));
  const ofCall = chargeOf(
    { ...measured, usage: few, came: called },
    termsOf({}, { api: "messages" }),
  );
  expect(ofCall.is_estimated).toBe(true);
  // 1500 bytes of words, 200 of letters, and 300 numbers of 18 digits: more than it may be.
  expect(ofCall.usage.output).toBe(1_000);
  const chinese = cameInAnswer({ choices: [{ message: { content: "门是绿色的".repeat(200) } }] });
  const ofChinese = (output: number) =>
    chargeOf({ ...measured, usage: { ...usage, output, reasoning: 0 }, came: chinese }, terms);
  expect(ofChinese(150)).toMatchObject({ is_estimated: true, usage: { output: 1_000 } });
  expect(ofChinese(700).is_estimated).toBe(false);
});

test("an input that is less than what the tools' descriptions need is reckoned", () => {
  const parameters = { type: "object", properties: { door: { description: words } } };
  const tools = [{ type: "function", function: { name: "paint", description: words, parameters } }];
  const said = { usage: { ...usage, input: 200, reasoning: 0 }, mayHaveCost: true, tries: 1 };
  expect(chargeOf(said, terms).is_estimated).toBe(false);
  expect(chargeOf(said, termsOf({ tools })).is_estimated).toBe(true);
});
