// A model that plays a list of answers, in either provider's format, and keeps the requests.

export type ScriptedCall = [tool: string, args: unknown];

/**
 * Words, calls of tools, both, or an HTTP answer of the test's own. `raw` arguments are sent as
 * they are, valid JSON or not. `meanwhile`: called before the answer is given.
 */
export type ScriptedAnswer =
  | string
  | { say?: string; call: ScriptedCall[]; isCut?: boolean; meanwhile?: () => void }
  | { raw: string; tool: string }
  | ((request: Request) => Response | Promise<Response>);

export type RecordedRequest = {
  path: string;
  headers: Headers;
  text: string;
  body: { messages: unknown[]; [key: string]: unknown };
};

export type Format = "anthropic" | "openai";

/**
 * The last answer is repeated. `hostname`: where it listens; a container needs more than the
 * loopback.
 */
export function scriptedModel(
  format: Format,
  answers: readonly ScriptedAnswer[],
  hostname = "127.0.0.1",
) {
  const requests: RecordedRequest[] = [];
  let calls = 0;
  let tokens = 0;
  const server = Bun.serve({
    port: 0,
    hostname,
    idleTimeout: 0,
    async fetch(request) {
      // `sett up` looks whether the provider is there.
      if (request.method === "GET") return Response.json({ data: [] });
      const text = await request.clone().text();
      const answer = answers[Math.min(requests.length, answers.length - 1)] ?? "";
      requests.push({
        path: new URL(request.url).pathname,
        headers: request.headers,
        text,
        body: JSON.parse(text),
      });
      if (typeof answer === "function") return answer(request);
      if (typeof answer === "object" && "meanwhile" in answer) answer.meanwhile?.();
      const content =
        typeof answer === "string" ? { say: answer, call: [] } : "raw" in answer ? answer : answer;
      // As with a real provider, no two calls have the same id.
      const id = () => `${crypto.randomUUID().replaceAll("-", "")}_${++calls}`;
      const used = {
        input: Math.ceil(text.length / 4),
        output: Math.ceil(JSON.stringify(content).length / 4),
      };
      tokens += used.input + used.output;
      return Response.json(
        format === "anthropic"
          ? anthropicAnswer(content, id, used)
          : openaiAnswer(content, id, used),
      );
    },
  });
  const base = `http://127.0.0.1:${server.port}`;
  return {
    requests,
    /** The tokens that it has reported, input and output together. */
    get tokens() {
      return tokens;
    },
    port: server.port,
    /** As the address of a gateway. */
    gateway: base,
    /** As `base_url` in sett.yml. */
    url: `${base}/v1`,
    /** The variables that the cub sets for the worker. */
    environment: {
      SETT_MODEL: "test-model",
      SETT_MODEL_PROVIDER: format,
      ...(format === "anthropic"
        ? { ANTHROPIC_BASE_URL: `${base}/anthropic`, ANTHROPIC_API_KEY: "sett_grant.token" }
        : { OPENAI_BASE_URL: `${base}/openai/v1`, OPENAI_API_KEY: "sett_grant.token" }),
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

type Content =
  | { say?: string; call: ScriptedCall[]; isCut?: boolean }
  | { raw: string; tool: string };

type Used = { input: number; output: number };

function anthropicAnswer(content: Content, id: () => string, { input, output }: Used) {
  const blocks =
    "raw" in content
      ? [{ type: "tool_use", id: id(), name: content.tool, input: content.raw }]
      : [
          ...(content.say === undefined ? [] : [{ type: "text", text: content.say }]),
          ...content.call.map(([name, input]) => ({ type: "tool_use", id: id(), name, input })),
        ];
  const isCut = "isCut" in content && content.isCut === true;
  return {
    ...{
      id: `msg_${id()}`,
      type: "message",
      role: "assistant",
      model: "test-model-1",
      content: blocks,
    },
    stop_reason: isCut
      ? "max_tokens"
      : blocks.some(({ type }) => type === "tool_use")
        ? "tool_use"
        : "end_turn",
    ...{ stop_sequence: null, usage: { input_tokens: input, output_tokens: output } },
  };
}

function openaiAnswer(content: Content, id: () => string, { input, output }: Used) {
  const calls =
    "raw" in content
      ? [[content.tool, content.raw] as const]
      : content.call.map(([name, args]) => [name, JSON.stringify(args)] as const);
  const tool_calls = calls.map(([name, args]) => ({
    id: id(),
    type: "function",
    function: { name, arguments: args },
  }));
  const say = "say" in content ? (content.say ?? null) : null;
  const isCut = "isCut" in content && content.isCut === true;
  const message = { role: "assistant", content: say, ...(tool_calls.length > 0 && { tool_calls }) };
  return {
    ...{
      id: `chatcmpl-${id()}`,
      object: "chat.completion",
      created: 1_700_000_000,
      model: "test-model-1",
    },
    choices: [
      {
        index: 0,
        message,
        finish_reason: isCut ? "length" : tool_calls.length > 0 ? "tool_calls" : "stop",
      },
    ],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}
