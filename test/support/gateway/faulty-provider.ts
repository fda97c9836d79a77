// A provider that fails in a way of the test's choice: each request is answered by the next of the
// given answers, and the last one repeats. It is a server of Node's: there a broken stream breaks
// its connection, and is no error of the test.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

export type FaultyProvider = AsyncDisposable & {
  base_url: string;
  /** The requests that have come, oldest first. */
  requests: { path: string; headers: Headers; body: string }[];
  /** The number of its streams that their reader has left. */
  readonly left: number;
  /** Bytes of endless streams that were taken. */
  readonly produced: number;
};

/** `leave` is to be called when a reader leaves a stream; `produce` counts bytes. */
type Count = { leave(): void; produce(bytes: number): void };
export type FaultyAnswer = (request: Request, count: Count) => Response | Promise<Response>;

export async function startFaultyProvider(...answers: FaultyAnswer[]): Promise<FaultyProvider> {
  const requests: FaultyProvider["requests"] = [];
  let left = 0;
  let produced = 0;
  const count: Count = {
    leave: () => {
      left++;
    },
    produce: (bytes) => {
      produced += bytes;
    },
  };
  const answerTo = async (message: IncomingMessage, response: ServerResponse) => {
    const body = await text(message);
    const left = new AbortController();
    response.once("close", () => left.abort());
    const headers = new Headers(
      Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
    );
    requests.push({ path: message.url ?? "", headers, body });
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? status(500);
    const request = new Request(`http://provider${message.url}`, {
      method: "POST",
      headers,
      body,
      signal: left.signal,
    });
    await send(await answer(request, count), response, left.signal);
  };
  const server = createServer(
    (message, response) => void answerTo(message, response).catch(() => response.destroy()),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    base_url: `http://127.0.0.1:${port}/v1`,
    requests,
    get left() {
      return left;
    },
    get produced() {
      return produced;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(answer: Response, response: ServerResponse, left: AbortSignal): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  const reader = answer.body?.getReader();
  if (reader === undefined) return void response.end();
  left.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return void response.end();
    if (!response.write(value)) await once(response, "drain", { signal: left }).catch(() => {});
  }
}

export const status =
  (
    code: number,
    body: unknown = { error: { message: `status ${code}` } },
    headers: Record<string, string> = {},
  ): FaultyAnswer =>
  () =>
    Response.json(body, { status: code, headers });

const chatUsage = {
  prompt_tokens: 20,
  completion_tokens: 5,
  prompt_tokens_details: { cached_tokens: 4 },
};

/** A good answer of Chat Completions. */
export const chatAnswer =
  (content = "hi", usage: unknown = chatUsage): FaultyAnswer =>
  () =>
    Response.json({
      id: "chatcmpl-1",
      object: "chat.completion",
      model: "provider-model-1",
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage,
    });

export const event = (data: unknown) =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
export const chatChunk = (content: string, over: Record<string, unknown> = {}) =>
  event({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    model: "provider-model-1",
    choices: [{ index: 0, delta: { content } }],
    ...over,
  });
export const usageChunk = event({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  model: "provider-model-1",
  choices: [],
  usage: chatUsage,
});

/**
 * Sends these parts, one by one as they are taken and are there, and then ends the stream as `how`
 * says: a promise breaks it when it resolves.
 */
export const stream =
  (
    parts: readonly (string | Promise<string>)[],
    how: "end" | "hang" | Promise<void> = "end",
  ): FaultyAnswer =>
  (_, { leave }) => {
    const rest = [...parts];
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const next = await rest.shift();
        if (next !== undefined) return controller.enqueue(new TextEncoder().encode(next));
        if (how === "end") return controller.close();
        await (how === "hang" ? new Promise(() => {}) : how);
        controller.error(new Error("broken by the test"));
      },
      cancel: leave,
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };

/** A stream without an end. */
export const endless: FaultyAnswer = (_, { leave, produce }) => {
  const bytes = new TextEncoder().encode(chatChunk("x".repeat(16_000)));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      produce(bytes.length);
      controller.enqueue(bytes);
    },
    cancel: leave,
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};
