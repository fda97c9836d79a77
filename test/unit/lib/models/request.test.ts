// A request is read, changed where it must be, or refused.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { CostlyApi } from "../../../../lib/model/model-call.ts";
import { bodyForProvider, readRequest } from "../../../../lib/models/request.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string, api: CostlyApi = "chat") => readRequest(api, bytes(text));

function requestOf(text: string, api: CostlyApi = "chat") {
  const result = read(text, api);
  if ("problem" in result) throw new Error(result.problem);
  return result.request;
}

test("only the model's name and the wish for the usage are changed, and all else stays byte for byte", () => {
  const text =
    '{ "model" : "gpt", "seed":12345678901234567890, "temperature":1.0,\n "stream":true, "messages":[{"content":"\\u00e9 \\"model\\":"}] }';
  expect(bodyForProvider(requestOf(text), "qwen")).toEqual({
    text: `{"stream_options":{"include_usage":true}, ${text.slice(2).replace('"gpt"', '"qwen"')}`,
    hasAddedUsage: true,
  });
});

test("a client's own stream options stay", () => {
  const text = '{"stream":true,"stream_options":{"include_obfuscation":false},"model":"a"}';
  expect(bodyForProvider(requestOf(text), "b").text).toBe(
    '{"stream":true,"stream_options":{"include_obfuscation":false,"include_usage":true},"model":"b"}',
  );
  const asking = '{"stream":true,"stream_options":{"include_usage":true},"model":"a"}';
  expect(bodyForProvider(requestOf(asking), "a")).toEqual({ text: asking, hasAddedUsage: false });
});

test("a request without a model gets one, and the other APIs no stream options", () => {
  expect(bodyForProvider(requestOf("{}"), "m").text).toBe('{"model":"m"}');
  expect(bodyForProvider(requestOf('{"stream":true}', "messages"), "m").text).toBe(
    '{"model":"m","stream":true}',
  );
});

test("any JSON object keeps its other members", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.string(),
      fc.nat(3),
      (any, model, indent) => {
        // -0 is 0 in JSON.
        const json = JSON.parse(JSON.stringify(any));
        const text = JSON.stringify({ ...json, model: "old" }, null, indent);
        const result = read(text, "messages");
        if ("problem" in result) return;
        expect(JSON.parse(bodyForProvider(result.request, model).text)).toEqual({ ...json, model });
      },
    ),
  );
});

test.each([
  ["nothing", "", "is not a JSON object"],
  ["a list", "[1]", "is not a JSON object"],
  ["half a request", '{"model":', "is not a JSON object"],
  ["a member twice", '{"max_tokens":1,"max_t\\u006fkens":100000}', "the member `max_tokens` twice"],
  [
    "a member with other capitals",
    '{"max_tokens":1,"Max_Tokens":100000}',
    "the member `Max_Tokens` twice",
  ],
  [
    "the model with other capitals, which would come after the gateway's own",
    '{"MODEL":"dear"}',
    "the member `MODEL`",
  ],
  [
    "a member twice inside",
    '{"messages":[{"content":"long","content":"hi"}]}',
    "An object in the request has a member twice.",
  ],
  [
    "a type twice",
    '{"tools":[{"type":"web_search","t\\u0079pe":"function"}]}',
    "has a member twice",
  ],
  ["a limit that no answer has", '{"max_tokens":9007199254740991}', "at most 100000000"],
  [
    "more answers than anyone reads",
    '{"n":1001}',
    "`n` of the request must be a whole number, at most 1000",
  ],
  ["values without end", `{"a":[${"1,".repeat(200_001)}1]}`, "more than 200000 values"],
  ["values in values", `{"a":${"[".repeat(501)}${"]".repeat(501)}}`, "more than 500 deep"],
  [
    "a limit in words",
    '{"max_tokens":"100"}',
    "`max_tokens` of the request must be a whole number",
  ],
  ["a negative limit", '{"max_tokens":-1}', "must be a whole number"],
  ["answers in fractions", '{"n":1.5}', "`n` of the request must be a whole number"],
] as const)("%s is refused", (_, text, words) => {
  expect(read(text)).toEqual({ problem: expect.stringContaining(words) });
});

test("bytes that are no UTF-8 are refused", () => {
  expect(readRequest("chat", new Uint8Array([123, 34, 255, 34, 125]))).toEqual({
    problem: "The request's body is not a JSON object.",
  });
});

test.each([
  [
    "messages",
    { tools: [{ type: "web_search_20250305", name: "web_search" }] },
    "The tool `web_search_20250305` runs at the provider",
  ],
  [
    "responses",
    { tools: [{ type: "image_generation" }] },
    "The tool `image_generation` runs at the provider",
  ],
  ["messages", { mcp_servers: [{ url: "https://example.org" }] }, "`mcp_servers`"],
  ["responses", { background: true }, "in the background"],
  ["responses", { conversation: "conv_1" }, "`conversation`"],
  ["responses", { prompt: { id: "pmpt_1" } }, "`prompt`"],
  [
    "responses",
    { input: [{ type: "item_reference", id: "x" }] },
    "items that only the provider has",
  ],
  ["chat", { service_tier: "priority" }, "`service_tier` priority"],
  ["messages", { speed: "fast" }, "`speed` fast"],
  ["chat", { web_search_options: {} }, "`web_search_options`"],
  ["chat", { plugins: [{ id: "web" }] }, "`plugins`"],
  ["chat", { models: ["another"] }, "`models`"],
  [
    "responses",
    { tools: [{ type: "shell", environment: { type: "container_auto" } }] },
    "The tool `shell` runs at the provider",
  ],
  [
    "responses",
    { tools: [{ type: "namespace", tools: [{ type: "web_search" }] }] },
    "The tool `web_search` runs",
  ],
  [
    "responses",
    { tools: [{ type: "tool_search", execution: "server" }] },
    "The tool `tool_search` runs",
  ],
  [
    "responses",
    { tools: [{ type: "web_search", execution: "client" }] },
    "The tool `web_search` runs",
  ],
  ["messages", { inference_geo: "us" }, "`inference_geo`"],
  ["chat", { modalities: ["text", "audio"] }, "`modalities`"],
  [
    "messages",
    { context_management: { edits: [{ type: "compact_20260112" }] } },
    "compact the conversation",
  ],
  [
    "responses",
    { context_management: [{ type: "compaction", compact_threshold: 1000 }] },
    "compact the conversation",
  ],
] as const)("%s with %o is refused: no reckoning bounds its cost", (api, body, words) => {
  expect(read(JSON.stringify(body), api)).toEqual({ problem: expect.stringContaining(words) });
});

test.each([
  [
    "messages",
    {
      tools: [
        { name: "own", input_schema: {} },
        { type: "bash_20250124", name: "bash" },
        { type: "custom", name: "c" },
      ],
    },
  ],
  [
    "chat",
    {
      tools: [{ type: "function", function: { name: "f" } }],
      service_tier: "auto",
      modalities: ["text"],
    },
  ],
  [
    "messages",
    {
      context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
      inference_geo: "global",
    },
  ],
  ["responses", { tools: [{ type: "shell", environment: { type: "local" } }] }],
  [
    "responses",
    {
      tools: [
        { type: "function", name: "exec_command", defer_loading: true },
        { type: "custom", name: "apply_patch" },
        { type: "namespace", tools: [{ type: "function", name: "f", defer_loading: true }] },
        { type: "tool_search", execution: "client", description: "d", parameters: {} },
      ],
    },
  ],
  [
    "responses",
    {
      tools: [{ type: "function", name: "f" }, { type: "local_shell" }],
      conversation: null,
      background: false,
    },
  ],
] as const)("%s with %o is passed on", (api, body) => {
  expect(read(JSON.stringify(body), api)).toMatchObject({ request: { api } });
});

const addressed = (content: object) => ({ messages: [{ role: "user", content: [content] }] });
const source = (of: object) => addressed({ type: "image", source: of });

test.each([
  ["chat", addressed({ type: "image_url", image_url: { url: "https://example.org/?secret" } })],
  ["chat", addressed({ type: "image_url", image_url: " HTTPS://example.org/a" })],
  ["chat", addressed({ type: "video_url", video_url: { url: "file:///etc/passwd" } })],
  ["chat", addressed({ type: "image_url", image_url: { url: "//example.org/a" } })],
  ["chat", addressed({ type: "video", video: ["https://example.org/1", "https://example.org/2"] })],
  ["chat", addressed({ type: "file", file: { file_data: "https://example.org/a.pdf" } })],
  ["chat", addressed({ type: "file", file: { type: "text", file_data: "https://example.org/" } })],
  ["chat", addressed({ type: "input_audio", input_audio: { data: "https://example.org/a" } })],
  ["chat", addressed({ type: "image", image: [["https://example.org/a"]] })],
  ["chat", { Messages: addressed({ image_url: "https://example.org/a" }).messages }],
  ["messages", source({ type: "url", url: "https://example.org/a" })],
  [
    "messages",
    addressed({
      type: "tool_result",
      tool_use_id: "1",
      content: [{ type: "document", source: { type: "url", url: "https://example.org/a" } }],
    }),
  ],
  [
    "messages",
    { system: [{ type: "image", source: { type: "url", url: "https://example.org" } }] },
  ],
  ["responses", { input: [{ content: [{ type: "input_image", image_url: "https://a.org" }] }] }],
  ["responses", { input: [{ content: [{ type: "input_file", file_url: "https://a.org" }] }] }],
  [
    "responses",
    {
      input: [
        {
          type: "computer_call_output",
          output: { type: "computer_screenshot", image_url: "https://example.org/a" },
        },
      ],
    },
  ],
] as const)("%s with %j is refused: the provider would fetch it", (api, body) => {
  expect(read(JSON.stringify(body), api)).toEqual({
    problem: expect.stringContaining("no address that the provider would fetch"),
  });
});

test.each([
  ["chat", addressed({ type: "file", file: { file_id: "file-1" } })],
  ["messages", source({ type: "file", file_id: "file_1" })],
  ["messages", addressed({ type: "container_upload", file_id: "file_1" })],
  ["responses", { input: [{ content: [{ type: "input_file", file_id: "file-1" }] }] }],
  ["responses", { input: [{ content: [{ type: "input_image", file_id: "file-1" }] }] }],
] as const)("%s with %j is refused: only the provider has the file", (api, body) => {
  expect(read(JSON.stringify(body), api)).toEqual({
    problem: expect.stringContaining("no file that only the provider has"),
  });
});

test.each([
  ["chat", addressed({ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } })],
  ["chat", addressed({ type: "text", text: "https://example.org/a" })],
  ["chat", { messages: [{ role: "user", content: "https://example.org/a" }] }],
  [
    "chat",
    addressed({ type: "file", file: { filename: "https://a", file_data: "data:a/b;base64,A" } }),
  ],
  [
    "messages",
    addressed({
      type: "tool_use",
      id: "1",
      name: "f",
      input: { url: "https://a.org", file_id: "1" },
    }),
  ],
  [
    "messages",
    addressed({
      type: "document",
      title: "https://example.org/a",
      source: { type: "text", media_type: "text/plain", data: "https://example.org/a" },
    }),
  ],
  [
    "messages",
    addressed({
      type: "document",
      source: { type: "content", content: [{ type: "text", text: "https://example.org/a" }] },
    }),
  ],
  [
    "messages",
    addressed({ type: "search_result", source: "https://a.org", title: "a", content: [] }),
  ],
  [
    "responses",
    {
      input: [
        { type: "function_call", call_id: "1", name: "f", arguments: '{"url":"https://a.org"}' },
        {
          type: "message",
          role: "assistant",
          content: [
            {
              type: "output_text",
              text: "a",
              annotations: [{ type: "url_citation", url: "https://a" }],
            },
          ],
        },
      ],
      tools: [
        { type: "function", name: "f", parameters: { properties: { url: { default: "a" } } } },
      ],
      metadata: { url: "https://example.org" },
    },
  ],
] as const)("%s with %j is passed on: the provider has all of it", (api, body) => {
  expect(read(JSON.stringify(body), api)).toMatchObject({ request: { api } });
});
