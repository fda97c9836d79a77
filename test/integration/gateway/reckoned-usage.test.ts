// Shows what a call costs where its provider does not say it, says what cannot be, or does not come
// to the end of its answer.
import { expect, test } from "bun:test";
import { ClientError } from "../../../apps/gateway/client-error.ts";
import type { Provider } from "../../../lib/model/config-models.ts";
import { at, resultOf } from "../../support/blackboard/scene.ts";
import { event, type FaultyAnswer, stream } from "../../support/gateway/faulty-provider.ts";
import { sceneOf } from "../../support/gateway/provider-scene.ts";
import { readStream } from "../../support/gateway/read-stream.ts";
import { setTime } from "../../support/gateway/set-time.ts";
import { waitFor } from "../../support/wait-for.ts";

const count = 300;
const words = Array.from({ length: count }, (_, at) => `word${at % 7} `);
/** A hundred thousand tokens may be written, and three hundred are. */
const max = 100_000;
const model = { price: { input: 2, output: 10 }, max_output: max };

type Usage = [input: number, output: number] | undefined;
type Api = {
  path: string;
  provider: Provider;
  request: object;
  /** `usage`: undefined where the provider reports none. */
  events(usage: Usage): string[];
  whole(usage: Usage): object;
};

const question = [
  { role: "user", content: "Please write me three hundred words, one after the other." },
];
const usageWith = (names: readonly [string, string], usage: Usage) =>
  usage === undefined ? {} : { usage: { [names[0]]: usage[0], [names[1]]: usage[1] } };
const typed = (data: { type: string } & Record<string, unknown>) => event(data);

const apis: Record<string, Api> = {
  messages: {
    path: "/anthropic/v1/messages",
    provider: "anthropic",
    request: { model: "any", max_tokens: max, messages: question },
    events: (usage) => [
      typed({
        type: "message_start",
        message: { model: "m", ...usageWith(["input_tokens", "output_tokens"], usage ?? [0, 1]) },
      }),
      ...words.map((text) =>
        typed({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
      ),
      ...(usage === undefined
        ? []
        : [
            typed({
              type: "message_delta",
              delta: {},
              ...usageWith(["input_tokens", "output_tokens"], usage),
            }),
          ]),
      typed({ type: "message_stop" }),
    ],
    whole: (usage) => ({
      ...{ type: "message", model: "m", content: [{ type: "text", text: words.join("") }] },
      ...usageWith(["input_tokens", "output_tokens"], usage),
    }),
  },
  chat: {
    path: "/openai/v1/chat/completions",
    provider: "openai",
    request: { model: "any", max_tokens: max, messages: question },
    events: (usage) => [
      ...words.map((content) => event({ model: "m", choices: [{ index: 0, delta: { content } }] })),
      event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
      ...(usage === undefined
        ? []
        : [event({ choices: [], ...usageWith(["prompt_tokens", "completion_tokens"], usage) })]),
      "data: [DONE]\n\n",
    ],
    whole: (usage) => ({
      ...{
        model: "m",
        choices: [
          { message: { role: "assistant", content: words.join("") }, finish_reason: "stop" },
        ],
      },
      ...usageWith(["prompt_tokens", "completion_tokens"], usage),
    }),
  },
  responses: {
    path: "/openai/v1/responses",
    provider: "openai",
    request: { model: "any", max_output_tokens: max, input: question },
    events: (usage) => [
      typed({ type: "response.created", response: { id: "r", model: "m" } }),
      ...words.map((delta) => typed({ type: "response.output_text.delta", delta })),
      typed({
        type: "response.completed",
        response: { id: "r", model: "m", ...usageWith(["input_tokens", "output_tokens"], usage) },
      }),
    ],
    whole: (usage) => ({
      ...{
        id: "r",
        model: "m",
        output: [{ type: "message", content: [{ type: "output_text", text: words.join("") }] }],
      },
      ...usageWith(["input_tokens", "output_tokens"], usage),
    }),
  },
};

const wholeAnswer =
  (body: object): FaultyAnswer =>
  () =>
    Response.json(body);

const impossible: Usage[] = [
  undefined,
  [0, 0],
  [20, 0],
  [20, 1],
  [-5, -7],
  [20, 1e12],
  [1e12, 300],
  [0, 300],
];

for (const [name, { path, provider, request, events, whole }] of Object.entries(apis)) {
  test(`usage of ${name} that cannot be is reckoned from the bytes and marked, in streams and whole answers`, async () => {
    const answers = impossible.flatMap((usage) => [
      stream(events(usage)),
      wholeAnswer(whole(usage)),
    ]);
    await using scene = await sceneOf(answers, { provider, model });
    for (const _ of impossible) {
      expect((await readStream(scene, path, { ...request, stream: true })).isBroken).toBe(false);
      expect((await scene.post(path, request)).status).toBe(200);
    }
    for (const record of await scene.ended(answers.length)) {
      expect(record).toMatchObject({ outcome: "ok", is_estimated: true });
      // 300 words of two tokens or three.
      expect(record.usage.output).toBeWithin(300, 900);
      expect(record.usage.input).toBeWithin(15, 200);
      expect(record.cost.nanousd).toBeWithin(3_000_000, 10_000_000);
    }
  });

  test(`usage of ${name} that can be is believed`, async () => {
    await using scene = await sceneOf([stream(events([20, 700])), wholeAnswer(whole([20, 700]))], {
      provider,
      model,
    });
    await readStream(scene, path, { ...request, stream: true });
    await scene.post(path, request);
    expect(await scene.ended(2)).toMatchObject([
      { is_estimated: false, usage: { input: 20, output: 700 } },
      { is_estimated: false, usage: { input: 20, output: 700 } },
    ]);
  });

  test(`a stream of ${name} whose client leaves is charged what came, and the rest is free at once`, async () => {
    const first = events(name === "messages" ? [20, 1] : undefined).slice(0, 21);
    await using scene = await sceneOf([stream(first, "hang")], { provider, model });
    const leave = new AbortController();
    const response = await scene.post(path, { ...request, stream: true }, { signal: leave.signal });
    const reader = response.body?.getReader();
    for (let text = ""; !text.endsWith(first.at(-1) ?? ""); ) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      expect(done).toBe(false);
      text += new TextDecoder().decode(value);
    }
    leave.abort();
    const [record] = await scene.ended(1);
    expect(record).toMatchObject({ outcome: "cancelled", is_estimated: true });
    expect(record?.usage.output).toBeWithin(20, 80);
    expect(record?.cost.nanousd).toBeLessThan(Number(record?.reserved.nanousd) / 100);
  });
}

test("a call whose time is up, and one of a gateway that stops, are charged what came", async () => {
  const first = apis.chat?.events(undefined).slice(0, 20) ?? [];
  const { path = "", request = {} } = apis.chat ?? {};
  const time = setTime();
  await using late = await sceneOf([stream(first, "hang")], { after: time.after, model });
  await readStream(late, path, { ...request, stream: true }, () => time.pass(60_000));
  const scene = await sceneOf([stream(first, "hang")], { model });
  const reading = readStream(scene, path, { ...request, stream: true });
  await waitFor(
    "the call",
    () => scene.provider.requests.length === 1 && scene.gateway.calls.open.size === 1,
  );
  scene.gateway.calls.open.stopAll(new ClientError(503, "gateway-stopping", "The gateway stops."));
  await reading.catch(() => {});
  for (const [record] of [await late.ended(1), await scene.ended(1)]) {
    expect(record?.is_estimated).toBe(true);
    expect(record?.cost.nanousd).toBeWithin(1, Number(record?.reserved.nanousd) / 100);
  }
  await scene[Symbol.asyncDispose]();
});

test("the end of a grant ends its calls at once, with the pace of a real gateway", async () => {
  const { path = "", request = {}, events = () => [] } = apis.chat ?? {};
  await using scene = await sceneOf([stream(events(undefined).slice(0, 20), "hang")], {
    model,
    limits: { tickMs: 2_500 },
  });
  const response = await scene.post(path, { ...request, stream: true });
  const reader = response.body?.getReader();
  await reader?.read();
  const { goal, claim, grant } = scene.work;
  const result = { outcome: "done" as const, artefact: resultOf(goal, claim) };
  await scene.board.finishGrant({ claim: claim.id, grant, endedAt: at, result });
  const [record] = await scene.ended(1);
  expect(record).toMatchObject({ outcome: "cancelled", is_estimated: true });
  expect(record?.cost.nanousd).toBeWithin(1, Number(record?.reserved.nanousd) / 100);
  await reader?.cancel().catch(() => {});
});

const text = words.join("");
/** No answer says what it used. */
const forms: [string, FaultyAnswer, api?: "messages"][] = [
  [
    "a stream of whole messages",
    stream([event({ choices: [{ message: { content: text } }] }), "data: [DONE]\n\n"]),
  ],
  [
    "a stream whose lines end in carriage returns",
    stream([`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\r\r`]),
  ],
  [
    "a stream in a form of its own",
    stream([event({ response: text, done: true }), "data: [DONE]\n\n"]),
  ],
  ["lines of JSON that are called a stream", stream([`${JSON.stringify({ response: text })}\n`])],
  ["an answer in a form of its own", wholeAnswer({ response: text })],
  [
    "a call of a tool whose arguments have names of the API's",
    wholeAnswer({ content: [{ type: "tool_use", input: { data: text, type: text } }] }),
    "messages",
  ],
];

for (const [form, answer, name = "chat"] of forms)
  test(`${form} is charged what came, though it says nothing of what it used`, async () => {
    const { path = "", request = {}, provider } = apis[name] ?? {};
    await using scene = await sceneOf(answer, { ...(provider && { provider }), model });
    await readStream(scene, path, { ...request, stream: true });
    const [record] = await scene.ended(1);
    expect(record).toMatchObject({ is_estimated: true });
    expect(record?.usage.output).toBeWithin(300, 1_500);
  });

test("what is in an answer twice, or is no work of the model, lets no honest usage be doubted", async () => {
  const thoughts = { reasoning: text, reasoning_content: text };
  const choices = [{ message: { ...thoughts, content: "" }, finish_reason: "stop" }];
  const twice = wholeAnswer({ choices, usage: { prompt_tokens: 20, completion_tokens: 400 } });
  await using chat = await sceneOf(twice, { model });
  await chat.post(apis.chat?.path ?? "", apis.chat?.request);
  const citation = { type: "char_location", cited_text: text.repeat(10), document_index: 0 };
  const [begin = "", ...rest] = apis.messages?.events([20, 400]) ?? [];
  const delta = { type: "citations_delta", citation };
  const cited = stream([begin, event({ type: "content_block_delta", index: 0, delta }), ...rest]);
  await using messages = await sceneOf(cited, { provider: "anthropic", model });
  await readStream(messages, apis.messages?.path ?? "", {
    ...apis.messages?.request,
    stream: true,
  });
  for (const [record] of [await chat.ended(1), await messages.ended(1)])
    expect(record).toMatchObject({ is_estimated: false, usage: { output: 400 } });
});
