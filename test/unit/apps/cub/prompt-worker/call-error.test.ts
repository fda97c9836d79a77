import { expect, test } from "bun:test";
import { APICallError } from "ai";
import { callErrorOf } from "../../../../../apps/cub/prompt-worker/call-error.ts";
import { withLimitFor } from "../../../../../apps/cub/prompt-worker/clients.ts";

function answered(
  statusCode: number | undefined,
  responseBody = "",
  responseHeaders: Record<string, string> = {},
): APICallError {
  return new APICallError({
    ...{
      message: "it failed",
      url: "http://gateway/v1/messages",
      requestBodyValues: {},
      responseBody,
      responseHeaders,
    },
    ...(statusCode !== undefined && { statusCode }),
  });
}

test("both providers' errors give their sentence", () => {
  expect(
    callErrorOf(answered(400, '{"type":"error","error":{"type":"x","message":"Bad."}}')).message,
  ).toBe("The model's API answered with 400: Bad.");
  expect(callErrorOf(answered(400, '{"error":{"message":"Bad.","code":null}}')).message).toBe(
    "The model's API answered with 400: Bad.",
  );
  expect(callErrorOf(answered(400, '{"error":"Bad."}')).message).toBe(
    "The model's API answered with 400: Bad.",
  );
  expect(callErrorOf(answered(404, "<html>nothing</html>")).message).toBe(
    "The model's API answered with 404: <html>nothing</html>",
  );
  expect(callErrorOf(answered(500)).message).toBe(
    "The model's API answered with 500: it gave no reason.",
  );
  expect(callErrorOf(answered(400, "x".repeat(5_000))).message.length).toBeLessThan(1_100);
});

test("what passes is repeated, unless the server says otherwise", () => {
  expect(
    [408, 429, 500, 503, 529].map((status) => callErrorOf(answered(status)).isRetryable),
  ).toEqual(Array(5).fill(true));
  expect(
    [400, 401, 402, 403, 404].map((status) => callErrorOf(answered(status)).isRetryable),
  ).toEqual(Array(5).fill(false));
  expect(callErrorOf(answered(503, "", { "x-should-retry": "false" })).isRetryable).toBe(false);
  expect(callErrorOf(answered(400, "", { "x-should-retry": "true" })).isRetryable).toBe(true);
  const away = { "x-should-retry": "true", "x-sett-error": "redis-unreachable" };
  expect(callErrorOf(answered(503, "", away))).toMatchObject({ isRetryable: true, isAway: true });
  expect(callErrorOf(answered(503)).isAway).toBe(false);
  expect(callErrorOf(answered(undefined))).toMatchObject({
    isRetryable: true,
    message: "The model's API cannot be reached: it failed",
  });
  expect(callErrorOf(new Error("odd"))).toMatchObject({
    isRetryable: true,
    message: "The model's answer cannot be used: odd",
  });
});

test("a conversation that is too long is not tried again as it is", () => {
  const body = (code: unknown) =>
    JSON.stringify({ error: { message: "No.", code, type: "invalid_request_error" } });
  expect(callErrorOf(answered(500, body("context_length_exceeded")))).toMatchObject({
    isTooLong: true,
    isRetryable: false,
  });
  expect(callErrorOf(answered(500, body(null)))).toMatchObject({
    isTooLong: false,
    isRetryable: true,
  });
});

test("the server's wait counts, up to half a minute", () => {
  expect(callErrorOf(answered(429, "", { "retry-after": "7" })).retryAfterMs).toBe(7_000);
  expect(callErrorOf(answered(429, "", { "retry-after": "3600" })).retryAfterMs).toBe(30_000);
  expect(
    callErrorOf(answered(429, "", { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" })).retryAfterMs,
  ).toBeUndefined();
});

test("a spent budget is known by the gateway's header, and a 402 of a provider is none", () => {
  const headers = { "x-sett-error": "budget-exceeded", "x-sett-budget": '{"scope":"goal"}' };
  const spent = callErrorOf(answered(402, '{"error":{"message":"Spent."}}', headers));
  expect(spent).toMatchObject({
    message: "Spent.",
    exhausted: { scope: "goal" },
    isRetryable: false,
  });
  expect(callErrorOf(answered(402, "", { ...headers, "x-sett-budget": "{" })).exhausted).toEqual(
    {},
  );
  expect(callErrorOf(answered(402, '{"error":{"message":"Pay."}}')).exhausted).toBeUndefined();
});

test("OpenAI's newer models get their own name of the limit", () => {
  expect(withLimitFor("gpt-5.1", { max_tokens: 5, model: "gpt-5.1" })).toEqual({
    max_completion_tokens: 5,
    model: "gpt-5.1",
  });
  expect(withLimitFor("o3-mini", { max_tokens: 5 })).toEqual({ max_completion_tokens: 5 });
  expect(withLimitFor("qwen3-coder", { max_tokens: 5 })).toEqual({ max_tokens: 5 });
});
