import { expect, test } from "bun:test";
import { askOnce, reasonOf, retryAfterOf } from "../../../../apps/gateway/ask-once.ts";
import { noProgress, type UpstreamRequest } from "../../../../apps/gateway/upstream.ts";
import type { ModelSettings } from "../../../../lib/model/config-models.ts";
import { AgentName } from "../../../../lib/model/ids.ts";
import { proxyRefusal } from "../../../../lib/model/proxy.ts";

const now = () => Date.parse("2026-01-01T00:00:00Z");

test.each([
  [{ "retry-after": "3" }, 3_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "-1" }, 0],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }, 9_000],
  [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after-ms": "20", "retry-after": "3" }, 20],
  [{}, undefined],
] as [Record<string, string>, number | undefined][])("%o asks to wait %p ms", (headers, ms) => {
  expect(retryAfterOf(new Headers(headers), now)).toBe(ms);
});

test("the sentence about a provider that cannot be reached names the proxy in between", async () => {
  const request: UpstreamRequest = {
    ...{ agent: AgentName.parse("coder"), work: "one", model: "strong", provider: "openai" },
    ...{ api: "chat", path: "/chat/completions", headers: new Headers(), body: "{}" },
    ...{ signal: new AbortController().signal, deadlineMs: 0, progress: noProgress() },
  };
  const settings: ModelSettings = {
    ...{ provider: "openai", model: "m", base_url: "http://127.0.0.1:1/v1" },
    ...{ parallel: 1, timeout_ms: 60_000, needs_key: false },
  };
  const wayTo = (url: string) => ` (by way of ${url})`;
  const result = await askOnce(request, settings, undefined, { maxAnswerBytes: 1_000, wayTo });
  expect(result.problem).toBe(
    "The provider of the model `strong` at 127.0.0.1:1 refuses the connection (by way of http://127.0.0.1:1/v1).",
  );
});

test.each([
  ["407 Proxy Authentication Required", "answers 407, it wants a name and a password"],
  ["503 Service Unavailable", "answers 503"],
])("a proxy that answers %s is named as what keeps the provider away", (answer, said) => {
  expect(reasonOf(proxyRefusal(answer, " (by way of x: 9)"))).toBe(
    `is not reached: a proxy on the way ${said}`,
  );
});

test.each(["gzip", "deflate", "br", "zstd"])(
  "an answer that says to be %s, and is not, is no provider that cannot be reached",
  async (encoding) => {
    await using server = Bun.serve({
      port: 0,
      fetch: () => new Response("{}", { headers: { "content-encoding": encoding } }),
    });
    const failure = await fetch(server.url)
      .then((response) => response.text())
      .catch((error: unknown) => error);
    expect(reasonOf(failure)).toBe(
      "has sent an answer that is not compressed as its headers say, or not all of it",
    );
  },
);
