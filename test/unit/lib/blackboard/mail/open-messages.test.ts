// Messages of an agent, and what becomes of them while answers are late, lost, or there twice.
import { expect, test } from "bun:test";
import { OpenMessages } from "../../../../../lib/blackboard/mail/open-messages.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { errorOf } from "../../../../support/error-of.ts";

const away = new SettError("redis-unreachable", "Redis does not answer.");

function openMessages(timeoutMs = 5_000) {
  const sent: { id: string; text: string }[] = [];
  let failure: SettError | undefined;
  const send = async (message: { id: string; text: string }) => {
    if (failure !== undefined) throw failure;
    sent.push({ id: message.id, text: message.text });
  };
  return {
    messages: new OpenMessages(send, timeoutMs),
    sent,
    last: () => sent.at(-1)?.id ?? "",
    fail: (error: SettError | undefined) => {
      failure = error;
    },
  };
}

test("a message is sent once, and its answer is that of all who wait for it", async () => {
  const { messages, sent, last } = openMessages();
  const both = [messages.ask("a"), messages.ask("b")];
  await Promise.resolve();
  expect(sent.map(({ text }) => text)).toEqual(["a", "b"]);
  const again = messages.ask("b");
  messages.receive([{ re: "of another process", text: "no" }]);
  messages.receive([
    { re: last(), text: "to b" },
    { re: sent[0]?.id ?? "", text: "to a" },
  ]);
  expect(await Promise.all([...both, again])).toEqual(["to a", "to b", "to b"]);
  expect(sent).toHaveLength(2);
});

test("an answer that comes too late is that of the next who asks the same, and is given once", async () => {
  const { messages, sent, last } = openMessages(10);
  expect(await errorOf(messages.ask("a"))).toMatchObject({
    code: "redis-unreachable",
    message: "The orchestrator does not answer.",
  });
  messages.receive([{ re: last(), text: "late" }]);
  expect(await messages.ask("a")).toBe("late");
  const next = messages.ask("a");
  expect(sent).toHaveLength(2);
  messages.receive([{ re: last(), text: "anew" }]);
  expect(await next).toBe("anew");
});

test("an answer that comes before the message is known to be sent is given once, too", async () => {
  const sent: string[] = [];
  const answering: OpenMessages = new OpenMessages(async ({ id }) => {
    sent.push(id);
    answering.receive([{ re: id, text: `answer ${sent.length}` }]);
  }, 120_000);
  expect(await answering.ask("a")).toBe("answer 1");
  expect(await answering.ask("a")).toBe("answer 2");
});

test("an answer that no call has got counts no more after a reconnect: what it says may be lost", async () => {
  const { messages, sent, last } = openMessages(10);
  await errorOf(messages.ask("a"));
  messages.receive([{ re: last(), text: "lost" }]);
  messages.sendAgain();
  const again = messages.ask("a");
  expect(sent).toHaveLength(2);
  messages.receive([{ re: last(), text: "anew" }]);
  expect(await again).toBe("anew");
});

test("a message that stays without an answer is sent again after the first time-out, and then ever more rarely", async () => {
  const { messages, sent, last } = openMessages(1);
  const sentAfter: number[] = [];
  for (let timeouts = 1; timeouts <= 20; timeouts += 1) {
    await errorOf(messages.ask("a"));
    sentAfter.push(sent.length);
  }
  expect(sentAfter).toEqual([1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6]);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  const next = messages.ask("a");
  messages.receive([{ re: last(), text: "yes" }]);
  expect(await next).toBe("yes");
});

test("who asks again before the answer waits for the same message", async () => {
  const { messages, sent, last } = openMessages(10);
  await errorOf(messages.ask("a"));
  const again = messages.ask("a");
  messages.receive([{ re: last(), text: "yes" }]);
  expect(await again).toBe("yes");
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
});

test("what is unanswered is sent again under its id, and an answer that comes twice counts once", async () => {
  const { messages, sent, last } = openMessages();
  const delivery = messages.ask("a");
  messages.sendAgain();
  await Promise.resolve();
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  expect(sent).toHaveLength(2);
  messages.receive([
    { re: last(), text: "first" },
    { re: last(), text: "second" },
  ]);
  expect(await delivery).toBe("first");
  messages.sendAgain();
  expect(sent).toHaveLength(2);
});

test("what could not be sent again is sent when it is asked again", async () => {
  const { messages, sent, last, fail } = openMessages(10);
  await errorOf(messages.ask("a"));
  fail(away);
  messages.sendAgain();
  expect(await errorOf(messages.ask("a"))).toBe(away);
  fail(undefined);
  const again = messages.ask("a");
  expect(sent.map(({ id }) => id)).toEqual([last(), last()]);
  messages.receive([{ re: last(), text: "yes" }]);
  expect(await again).toBe("yes");
});

test("a message that was never sent is not sent later", async () => {
  const { messages, sent, fail } = openMessages();
  fail(away);
  expect(await errorOf(messages.ask("a"))).toBe(away);
  fail(undefined);
  messages.sendAgain();
  expect(sent).toEqual([]);
});

test("what is said waits for no answer; who asks for it gets it, and a second time the message is sent again", async () => {
  const { messages, sent, last } = openMessages(10);
  const ids: string[] = [];
  const first = async ({ id }: { id: string }) => {
    ids.push(id);
    return { outcome: "taken" };
  };
  expect(await messages.say("a", first)).toEqual({ outcome: "taken" });
  await errorOf(messages.ask("a"));
  expect(sent).toEqual([]);
  await messages.say("a", first);
  const answer = messages.ask("a");
  expect(sent.map(({ id }) => id)).toEqual([ids[0] ?? ""]);
  expect(ids[1]).toBe(ids[0] ?? "");
  messages.receive([{ re: last(), text: "yes" }]);
  expect(await answer).toBe("yes");
});

test("what was said and refused, could not be said, or needs no answer any more, is not sent again", async () => {
  const { messages, sent } = openMessages();
  await messages.say("refused", async () => ({ outcome: "refused" }));
  expect(await errorOf(messages.say("failed", () => Promise.reject(away)))).toBe(away);
  await messages.say("ended", async () => ({ outcome: "taken" }));
  messages.forget("ended");
  messages.sendAgain();
  expect(sent).toEqual([]);
});

test("where answers cannot be read any more, every call is refused", async () => {
  const { messages, sent } = openMessages();
  messages.fail(away);
  expect(await errorOf(messages.ask("a"))).toBe(away);
  expect(sent).toEqual([]);
});
