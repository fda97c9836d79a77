import { expect, test } from "bun:test";
import { errorBody, errorEvent, tokenIn } from "../../../../lib/models/providers.ts";

test("a spent budget is a billing error of Anthropic, and a spent quota of OpenAI", () => {
  expect(JSON.parse(errorBody("anthropic", 402, "Spent."))).toEqual({
    type: "error",
    error: { type: "billing_error", message: "Spent." },
  });
  expect(JSON.parse(errorBody("openai", 402, "Spent."))).toEqual({
    error: {
      message: "Spent.",
      type: "insufficient_quota",
      param: null,
      code: "insufficient_quota",
    },
  });
});

test("a status without a name of its own is the client's fault below 500, and the server's from there on", () => {
  expect(JSON.parse(errorBody("anthropic", 418, ""))).toMatchObject({
    error: { type: "invalid_request_error" },
  });
  expect(JSON.parse(errorBody("anthropic", 503, ""))).toMatchObject({
    error: { type: "api_error" },
  });
  expect(JSON.parse(errorBody("openai", 418, ""))).toMatchObject({
    error: { type: "invalid_request_error" },
  });
  expect(JSON.parse(errorBody("openai", 503, ""))).toMatchObject({
    error: { type: "server_error" },
  });
});

test("in a stream an error is an event", () => {
  expect(errorEvent("anthropic", "Broken.")).toStartWith('event: error\ndata: {"type":"error"');
  expect(errorEvent("openai", "Broken.")).toStartWith('data: {"error"');
  expect(errorEvent("openai", "Broken.")).toEndWith("\n\n");
});

test("a token is the key of either API", () => {
  expect(tokenIn(new Headers({ "x-api-key": " abc " }))).toBe("abc");
  expect(tokenIn(new Headers({ authorization: "bearer abc" }))).toBe("abc");
  expect(tokenIn(new Headers({ authorization: "Basic abc" }))).toBeUndefined();
  expect(tokenIn(new Headers({ "x-api-key": "" }))).toBeUndefined();
});
