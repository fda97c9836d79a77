import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AgentName } from "../../../../../lib/model/ids.ts";
import {
  type AskedModel,
  answerBytes,
  answerPieces,
  digestOf,
  makeExchange,
  parseExchange,
  printExchange,
} from "../../../../../lib/models/cassette/exchange.ts";

const agent = AgentName.parse("coder");
const question: AskedModel = {
  agent,
  provider: "anthropic",
  api: "messages",
  request: { messages: [{ role: "user", content: "hi" }] },
};
const bytes = (text: string) => new TextEncoder().encode(text);

function recorded(body: Uint8Array, contentType = "application/json", keys: string[] = []) {
  return makeExchange(question, { order: 1, status: 200, contentType, body }, keys);
}

function readBack(text: string) {
  const read = parseExchange(text, { agent: "coder" });
  if ("problem" in read) throw new Error(read.problem);
  return read.exchange;
}

describe("an answer comes back bit for bit", () => {
  test.each(["", "\n", "a", "a\n", "a\r\nb\r\n", "a\rb\n\n", "\uFEFFa", "a\u2028b\0", "\r"])(
    "text %j",
    (text) => {
      const { answer } = readBack(printExchange(recorded(bytes(text))));
      expect(answer).toHaveProperty("lines");
      expect(answerBytes(answer)).toEqual(bytes(text));
    },
  );

  test("any bytes at all, whole or in pieces", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom("application/json", "text/event-stream"),
        (body, contentType) => {
          const { answer } = readBack(printExchange(recorded(body, contentType)));
          expect(answerBytes(answer)).toEqual(body);
          expect(Uint8Array.from(answerPieces(answer).flatMap((piece) => [...piece]))).toEqual(
            body,
          );
        },
      ),
    );
  });

  test("bytes that are no UTF-8 are written in base64", () => {
    const body = Uint8Array.of(0xff, 0xfe, 0x00, 0x80);
    const { answer } = readBack(printExchange(recorded(body)));
    expect(answer).toHaveProperty("base64");
    expect(answerBytes(answer)).toEqual(body);
  });
});

test("a stream is cut after each event, with either kind of line end; what is no stream stays whole", () => {
  const texts = (text: string, type: string) =>
    answerPieces(recorded(bytes(text), type).answer).map((piece) =>
      new TextDecoder().decode(piece),
    );
  const stream = "text/event-stream; charset=utf-8";
  expect(texts("event: a\ndata: 1\n\ndata: 2\n\n", stream)).toEqual([
    "event: a\ndata: 1\n\n",
    "data: 2\n\n",
  ]);
  expect(texts("data: 1\r\n\r\ndata: 2", stream)).toEqual(["data: 1\r\n\r\n", "data: 2"]);
  expect(texts("{\n\n}", "application/json")).toEqual(["{\n\n}"]);
});

test("no secret is written, in the request, in a text, or between bytes that are no text", () => {
  const key = "very-secret-key";
  const request = { messages: [{ content: `key ${key}, token sett_grant.a.b.1.c` }] };
  const body = Uint8Array.of(0xff, ...bytes(key), 0xfe);
  for (const answer of [bytes(`{"text":"${key}"}`), body]) {
    const exchange = makeExchange(
      { ...question, request },
      { order: 1, status: 200, contentType: "x", body: answer },
      [key],
    );
    expect(printExchange(exchange)).not.toContain(key);
    expect(printExchange(exchange)).not.toContain("sett_grant.a");
    expect(Buffer.from(answerBytes(exchange.answer)).toString("latin1")).not.toContain(key);
  }
});

test("the digest is of the request that can be seen in the file, and differs between APIs", () => {
  const request = { messages: [{ content: "token sett_grant.a.b.1.c of 2026-11-22" }] };
  const exchange = makeExchange(
    { ...question, request },
    { order: 1, status: 200, contentType: "x", body: bytes("") },
    [],
  );
  expect(exchange.digest).toBe(digestOf(exchange));
  const later = { messages: [{ content: "token sett_grant.a.b.2.d of 2027-01-01" }] };
  expect(digestOf({ api: "messages", request: later })).toBe(exchange.digest);
  expect(digestOf({ api: "chat", request })).not.toBe(exchange.digest);
});

test.each([
  ["{", "is not JSON"],
  ["[]", "is no exchange"],
  ["{}", "is no exchange: `format`"],
  [
    printExchange({ ...recorded(bytes("")), agent: AgentName.parse("other") }),
    "is an exchange of the agent other, but it is in the folder of coder",
  ],
  [
    printExchange(recorded(bytes(""))).replace('"order": 1', '"order": 0'),
    "is no exchange: `order`",
  ],
])("a broken file has a problem that says what is wrong: %#", (text, words) => {
  expect(parseExchange(text, { agent: "coder" })).toEqual({
    problem: expect.stringContaining(words),
  });
});
