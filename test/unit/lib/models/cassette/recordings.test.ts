import { expect, test } from "bun:test";
import { AgentName } from "../../../../../lib/model/ids.ts";
import { answerBytes, makeExchange } from "../../../../../lib/models/cassette/exchange.ts";
import { Recordings } from "../../../../../lib/models/cassette/recordings.ts";

const agentOf = (name: string) => AgentName.parse(name);

function ask(text: string, agent = "coder", api: "messages" | "chat" = "messages") {
  return {
    agent: agentOf(agent),
    provider: "anthropic",
    api,
    request: { messages: [{ role: "user", content: text }] },
  } as const;
}

function recorded(order: number, text: string, answer: string, agent = "coder") {
  const body = new TextEncoder().encode(answer);
  return makeExchange(
    ask(text, agent),
    { order, status: 200, contentType: "text/plain", body },
    [],
  );
}

function answerOf(found: ReturnType<Recordings["find"]>): string {
  return "problem" in found
    ? found.problem
    : new TextDecoder().decode(answerBytes(found.exchange.answer));
}

test("equal requests get their answers in the order of the recording, whatever comes between them", () => {
  const recordings = new Recordings([
    recorded(3, "hi", "third"),
    recorded(1, "hi", "first"),
    recorded(2, "bid?", "no"),
  ]);
  const answers = ["hi", "bid?", "hi"].map((text) =>
    answerOf(recordings.find(ask(text), "claim/1")),
  );
  expect(answers).toEqual(["first", "no", "third"]);
});

test("requests that come in another order find the same answers", () => {
  const recordings = new Recordings([
    recorded(1, "a", "A"),
    recorded(2, "b", "B"),
    recorded(3, "c", "C"),
  ]);
  expect(["c", "a", "b"].map((text) => answerOf(recordings.find(ask(text), "claim/1")))).toEqual([
    "C",
    "A",
    "B",
  ]);
});

test("an agent gets its own answers", () => {
  const recordings = new Recordings([
    recorded(1, "hi", "coder's"),
    recorded(1, "hi", "reviewer's", "reviewer"),
  ]);
  expect(answerOf(recordings.find(ask("hi", "reviewer"), "w"))).toBe("reviewer's");
  expect(answerOf(recordings.find(ask("hi"), "w"))).toBe("coder's");
});

test("what the same work asks once more than it was recorded is a problem; other work begins again", () => {
  const recordings = new Recordings([recorded(1, "hi", "first"), recorded(4, "hi", "second")]);
  expect(["claim/1", "claim/1"].map((work) => answerOf(recordings.find(ask("hi"), work)))).toEqual([
    "first",
    "second",
  ]);
  expect(answerOf(recordings.find(ask("hi"), "claim/1"))).toBe(
    "The agent coder makes a request again that was recorded 2 times (coder/0001.json, coder/0004.json), and each recorded answer " +
      "is used. Record it with `sett up --record`.",
  );
  expect(answerOf(recordings.find(ask("hi"), "claim/2"))).toBe("first");
});

test("a request that was not recorded names the nearest file and the first difference", () => {
  const recordings = new Recordings([
    recorded(1, "Say what you bid.", "no"),
    recorded(2, "Add a door to the house, please.", "yes"),
    recorded(3, "Something else", "x"),
  ]);
  expect(answerOf(recordings.find(ask("Add a door to the garden, please."), "w"))).toBe(
    "No recorded exchange answers this request of the agent coder. The nearest is coder/0002.json; it differs first at " +
      "messages[0].content: recorded `…d a door to the house, please.`, now `…d a door to the garden, please.`. " +
      "Record it with `sett up --record`.",
  );
});

test("the sentence shows no secret of the request", () => {
  const found = new Recordings([recorded(1, "token none", "x")]).find(
    ask("token sett_grant.a.coder.1.b"),
    "w",
  );
  expect(answerOf(found)).toContain("now `token [secret]`");
});

test("the same request to another API says so", () => {
  expect(
    answerOf(new Recordings([recorded(1, "hi", "x")]).find(ask("hi", "coder", "chat"), "w")),
  ).toContain(
    "The nearest is coder/0001.json; it was recorded for another API (messages, not chat).",
  );
});

test("an agent without recordings is named, with those that have some", () => {
  expect(answerOf(new Recordings([]).find(ask("hi"), "w"))).toBe(
    "No exchange of the agent coder was recorded: the folder has none. Record it with `sett up --record`.",
  );
  expect(
    answerOf(new Recordings([recorded(1, "hi", "x", "reviewer")]).find(ask("hi"), "w")),
  ).toContain("the folder has exchanges of reviewer");
});

test("an exchange whose request was edited by hand is found by what it says now", () => {
  const exchange = { ...recorded(1, "old", "answer"), request: ask("new").request };
  expect(answerOf(new Recordings([exchange]).find(ask("new"), "w"))).toBe("answer");
});

test("other tools than those of the recording are said to be the reason", () => {
  const recordings = new Recordings([recorded(1, "hi", "first")]);
  const question = ask("hi");
  const found = recordings.find(
    { ...question, request: { ...question.request, tools: [{ name: "plan" }] } },
    "claim/1",
  );
  expect(answerOf(found)).toContain(
    "The model may call other tools now than it could then, as with another version of Sett or of the agent's image. Record it with `sett up --record`.",
  );
  expect(answerOf(recordings.find(ask("ho"), "claim/1"))).not.toContain("other tools");
});
