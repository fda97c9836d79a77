// The proxy between the commands of an agent with secrets and the gateway.
import { afterAll, expect, test } from "bun:test";
import { maskerOf } from "../../../apps/cub/secrets/masker.ts";
import { openMaskingProxy } from "../../../apps/cub/secrets/masking-proxy.ts";

const value = "a-secret-of-the-tests";
const seen: { method: string; url: string; headers: Record<string, string>; body: string }[] = [];
let release = () => {};

const gateway = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers: Object.fromEntries(headers), body: await request.text() });
    if (url.endsWith("/stream")) {
      const body = async function* () {
        yield "data: one\n\n";
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        yield "data: two\n\n";
      };
      return new Response(body() as unknown as ReadableStream, {
        headers: { "content-type": "text/event-stream" },
      });
    }
    return new Response("Too many", { status: 429, headers: { "retry-after": "7" } });
  },
});
const masker = maskerOf([["token", Buffer.from(value)]]);
const proxy = await openMaskingProxy(`http://127.0.0.1:${gateway.port}`, () => masker);

afterAll(() => void gateway.stop(true));

test("a request is passed on without the value, in its body and in its address", async () => {
  const body = JSON.stringify({
    messages: [{ content: `x ${value} y` }],
    header: btoa(`user:${value}`),
  });
  const answer = await fetch(`${proxy}/openai/v1/chat?a=${value}`, {
    method: "POST",
    headers: { authorization: "Bearer t" },
    body,
  });
  expect([answer.status, answer.headers.get("retry-after"), await answer.text()]).toEqual([
    429,
    "7",
    "Too many",
  ]);
  const got = seen.at(-1);
  expect(got).toMatchObject({ method: "POST", headers: { authorization: "Bearer t" } });
  expect(JSON.parse(got?.body ?? "").messages).toEqual([{ content: "x [secret token] y" }]);
  expect(JSON.stringify(got)).not.toContain(value);
  expect(got?.body).not.toContain(btoa(`user:${value}`).slice(8, -4));
});

test("a secret that is a word of the API hinders no request", async () => {
  const words = ["assistant", "messages", "tool_use", "list_files", "16777216", "/openai/v1/chat"];
  const wordMasker = maskerOf(words.map((word) => [word, Buffer.from(word)]));
  const request = {
    model: "assistant-standard",
    max_tokens: 16777216,
    messages: [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_16777216", name: "list_files", input: {} }],
      },
      { role: "user", content: "the assistant has 16777216 messages" },
    ],
    tools: [
      {
        name: "list_files",
        input_schema: { properties: { messages: {} }, required: ["messages"] },
      },
    ],
  };
  const body = JSON.stringify(request);
  const own = await openMaskingProxy(`http://127.0.0.1:${gateway.port}`, () => wordMasker);
  await fetch(`${own}/openai/v1/chat`, { method: "POST", body });
  const got = seen.at(-1);
  expect(new URL(got?.url ?? "").pathname).toBe("/openai/v1/chat");
  expect(got?.body).toBe(
    body.replace(
      "the assistant has 16777216 messages",
      "the [secret assistant] has [secret 16777216] [secret messages]",
    ),
  );
});

test("a stream is passed on as it comes", async () => {
  const answer = await fetch(`${proxy}/stream`);
  const reader = answer.body?.getReader();
  const next = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect(await next()).toBe("data: one\n\n");
  release();
  expect(await next()).toBe("data: two\n\n");
});

test("a compressed request is refused", async () => {
  const before = seen.length;
  const order = {
    method: "POST",
    headers: { "content-encoding": "gzip" },
    body: Bun.gzipSync(Buffer.from(value)),
  };
  const answer = await fetch(proxy, order);
  expect([answer.status, seen.length]).toEqual([415, before]);
  expect(await answer.text()).toContain("cannot send compressed requests");
});

test("where there is no gateway, the answer says so", async () => {
  const answer = await fetch(await openMaskingProxy("http://127.0.0.1:1", () => masker));
  expect([answer.status, await answer.text()]).toEqual([
    502,
    expect.stringContaining("The gateway cannot be reached."),
  ]);
});
