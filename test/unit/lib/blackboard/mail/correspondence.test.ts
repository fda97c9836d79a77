// Letters of an agent, and what becomes of them while answers are late, lost, or there twice.
import { expect, test } from "bun:test";
import { Correspondence } from "../../../../../lib/blackboard/mail/correspondence.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { errorOf } from "../../../../support/error-of.ts";

const away = new SettError("redis-unreachable", "Redis does not answer.");

function correspondence(timeoutMs = 5_000) {
  const sent: { id: string; text: string }[] = [];
  let failure: SettError | undefined;
  const send = async (letter: { id: string; text: string }) => {
    if (failure !== undefined) throw failure;
    sent.push({ id: letter.id, text: letter.text });
  };
  return {
    letters: new Correspondence(send, timeoutMs),
    sent,
    last: () => sent.at(-1)?.id ?? "",
    fail: (error: SettError | undefined) => {
      failure = error;
    },
  };
}

test("a letter is sent once, and its answer is that of all who wait for it", async () => {
  const { letters, sent, last } = correspondence();
  const both = [letters.ask("a"), letters.ask("b")];
  await Promise.resolve();
  expect(sent.map(({ text }) => text)).toEqual(["a", "b"]);
  const again = letters.ask("b");
  letters.receive([{ re: "of another process", text: "no" }]);
  letters.receive([
    { re: last(), text: "to b" },
    { re: sent[0]?.id ?? "", text: "to a" },
  ]);
  expect(await Promise.all([...both, again])).toEqual(["to a", "to b", "to b"]);
  expect(sent).toHaveLength(2);
});

test("an answer that comes too late is that of the next who asks the same, and is given once", async () => {
  const { letters, sent, last } = correspondence(10);
  expect(await errorOf(letters.ask("a"))).toMatchObject({
    code: "redis-unreachable",
    message: "The orchestrator does not answer.",
  });
  letters.receive([{ re: last(), text: "late" }]);
  expect(await letters.ask("a")).toBe("late");
  const next = letters.ask("a");
  expect(sent).toHaveLength(2);
  letters.receive([{ re: last(), text: "anew" }]);
  expect(await next).toBe("anew");
});

test("an answer that comes before the letter is known to be sent is given once, too", async () => {
  const sent: string[] = [];
  const answering: Correspondence = new Correspondence(async ({ id }) => {
    sent.push(id);
    answering.receive([{ re: id, text: `answer ${sent.length}` }]);
  }, 5_000);
  expect(await answering.ask("a")).toBe("answer 1");
  expect(await answering.ask("a")).toBe("answer 2");
});

test("an answer that no call has got counts no more after a reconnect: what it says may be lost", async () => {
  const { letters, sent, last } = correspondence(10);
  await errorOf(letters.ask("a"));
  letters.receive([{ re: last(), text: "lost" }]);
  letters.sendAgain();
  const again = letters.ask("a");
  expect(sent).toHaveLength(2);
  letters.receive([{ re: last(), text: "anew" }]);
  expect(await again).toBe("anew");
});

test("a letter that stays without an answer is sent again after some time-outs, ever more rarely", async () => {
  const { letters, sent, last } = correspondence(1);
  const sentAfter: number[] = [];
  for (let timeouts = 1; timeouts <= 20; timeouts += 1) {
    await errorOf(letters.ask("a"));
    sentAfter.push(sent.length);
  }
  expect(sentAfter).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4]);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  const next = letters.ask("a");
  letters.receive([{ re: last(), text: "yes" }]);
  expect(await next).toBe("yes");
});

test("who asks again before the answer waits for the same letter", async () => {
  const { letters, sent, last } = correspondence(10);
  await errorOf(letters.ask("a"));
  const again = letters.ask("a");
  letters.receive([{ re: last(), text: "yes" }]);
  expect(await again).toBe("yes");
  expect(sent).toHaveLength(1);
});

test("what is unanswered is sent again under its id, and an answer that comes twice counts once", async () => {
  const { letters, sent, last } = correspondence();
  const delivery = letters.ask("a");
  letters.sendAgain();
  await Promise.resolve();
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  expect(sent).toHaveLength(2);
  letters.receive([
    { re: last(), text: "first" },
    { re: last(), text: "second" },
  ]);
  expect(await delivery).toBe("first");
  letters.sendAgain();
  expect(sent).toHaveLength(2);
});

test("what could not be sent again is sent when it is asked again", async () => {
  const { letters, sent, last, fail } = correspondence(10);
  await errorOf(letters.ask("a"));
  fail(away);
  letters.sendAgain();
  expect(await errorOf(letters.ask("a"))).toBe(away);
  fail(undefined);
  const again = letters.ask("a");
  expect(sent.map(({ id }) => id)).toEqual([last(), last()]);
  letters.receive([{ re: last(), text: "yes" }]);
  expect(await again).toBe("yes");
});

test("a letter that was never sent is not sent later", async () => {
  const { letters, sent, fail } = correspondence();
  fail(away);
  expect(await errorOf(letters.ask("a"))).toBe(away);
  fail(undefined);
  letters.sendAgain();
  expect(sent).toEqual([]);
});

test("what is said waits for no answer; who asks for it gets it, and a second time the letter is sent again", async () => {
  const { letters, sent, last } = correspondence(10);
  const ids: string[] = [];
  const first = async ({ id }: { id: string }) => {
    ids.push(id);
    return { outcome: "taken" };
  };
  expect(await letters.say("a", first)).toEqual({ outcome: "taken" });
  await errorOf(letters.ask("a"));
  expect(sent).toEqual([]);
  await letters.say("a", first);
  const answer = letters.ask("a");
  expect(sent.map(({ id }) => id)).toEqual([ids[0] ?? ""]);
  expect(ids[1]).toBe(ids[0] ?? "");
  letters.receive([{ re: last(), text: "yes" }]);
  expect(await answer).toBe("yes");
});

test("what was said and refused, could not be said, or needs no answer any more, is not sent again", async () => {
  const { letters, sent } = correspondence();
  await letters.say("refused", async () => ({ outcome: "refused" }));
  expect(await errorOf(letters.say("failed", () => Promise.reject(away)))).toBe(away);
  await letters.say("ended", async () => ({ outcome: "taken" }));
  letters.forget("ended");
  letters.sendAgain();
  expect(sent).toEqual([]);
});

test("where answers cannot be read any more, every call is refused", async () => {
  const { letters, sent } = correspondence();
  letters.fail(away);
  expect(await errorOf(letters.ask("a"))).toBe(away);
  expect(sent).toEqual([]);
});
