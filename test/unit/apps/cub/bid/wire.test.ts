import { describe, expect, test } from "bun:test";
import { problemIn, wireAnswer, wireRequest } from "../../../../../apps/cub/bid/wire.ts";
import type { ModelAccess } from "../../../../../apps/cub/tool/model-access.ts";

const question = { system: "Who you are.", user: "{}" };
const access = (provider: ModelAccess["provider"]): ModelAccess => ({
  gatewayUrl: "http://gateway:8080",
  model: "m",
  provider,
  name: "strong",
});

describe("the request", () => {
  test("goes to Anthropic's path with the token as the key, and forces the tool", () => {
    const { url, headers, body } = wireRequest(access("anthropic"), "sett_bid.x", question);
    expect(url).toBe("http://gateway:8080/anthropic/v1/messages");
    expect(headers).toMatchObject({ "x-api-key": "sett_bid.x", "anthropic-version": "2023-06-01" });
    expect(JSON.parse(body)).toMatchObject({
      model: "m",
      system: "Who you are.",
      tool_choice: { type: "tool", name: "bid" },
    });
    expect(body).not.toContain("sett_bid");
  });

  test("goes to the path of chat completions with the token as the bearer, and forces the function", () => {
    const { url, headers, body } = wireRequest(access("openai"), "sett_bid.x", question);
    expect(url).toBe("http://gateway:8080/openai/v1/chat/completions");
    expect(headers).toMatchObject({ authorization: "Bearer sett_bid.x" });
    const sent = JSON.parse(body);
    expect(sent).toMatchObject({
      model: "m",
      tool_choice: { type: "function", function: { name: "bid" } },
    });
    expect(sent.messages.map(({ role }: { role: string }) => role)).toEqual(["system", "user"]);
    expect(body).not.toContain("sett_bid");
  });
});

const bid = { word: "claim", reason: "It is code." } as const;
const said = JSON.stringify(bid);
const completion = (message: unknown) => JSON.stringify({ choices: [{ message }] });
const call = (args: unknown) => ({
  content: null,
  tool_calls: [{ function: { name: "bid", arguments: args } }],
});

describe("the answer", () => {
  test.each([
    [
      "a call of the tool",
      JSON.stringify({ content: [{ type: "thinking" }, { type: "tool_use", input: bid }] }),
    ],
    ["words", JSON.stringify({ content: [{ type: "text", text: `So: ${said}` }] })],
  ])("of Anthropic's format is read from %s", (_what, body) => {
    expect(wireAnswer("anthropic", body)).toEqual(bid);
  });

  test.each([
    ["a call of the function", completion(call(said))],
    ["a call whose arguments are an object", completion(call(bid))],
    ["words", completion({ content: said })],
  ])("of OpenAI's format is read from %s", (_what, body) => {
    expect(wireAnswer("openai", body)).toEqual(bid);
  });

  test.each([
    "",
    "<html>",
    "{}",
    "[]",
    completion({ content: null }),
    completion(call("{")),
    '{"content":[],"choices":[]}',
  ])("%p is none, in either format", (body) => {
    expect(() => wireAnswer("anthropic", body)).toThrow("The model's answer is");
    expect(() => wireAnswer("openai", body)).toThrow("The model's answer is");
  });
});

test("an error of either provider says what is wrong", () => {
  expect(
    problemIn('{"type":"error","error":{"type":"billing_error","message":"The budget is spent."}}'),
  ).toBe("The budget is spent.");
  expect(problemIn('{"error":{"message":"No such model.","code":null}}')).toBe("No such model.");
  expect(problemIn('{"error":"overloaded"}')).toBe("overloaded");
  expect(problemIn("<html>")).toBeUndefined();
});
