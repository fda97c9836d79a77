// What people outside are told, by real receivers of webhooks; on the blackboard in memory and on a real Redis.
import { afterAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../../lib/async/clock.ts";
import type { Bench } from "../../support/blackboard/bench.ts";
import { openMemoryBench } from "../../support/blackboard/memory-bench.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import { type Received, startHookReceiver } from "../../support/orchestrator/hook-receiver.ts";
import { createWorld, hookOf, secret, told, worker } from "../../support/orchestrator/notify-world.ts";
import { sampleAgent } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());

/** Not our own code: the receiver's side of Standard Webhooks, by Web Crypto. */
async function isSigned({ id, timestamp, signature, text }: Received, key: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
  const [version, given = ""] = signature.split(",");
  const bytes = Uint8Array.from(atob(given), (letter) => letter.charCodeAt(0));
  const isGenuine = await crypto.subtle.verify("HMAC", imported, bytes, new TextEncoder().encode(`${id}.${timestamp}.${text}`));
  return version === "v1" && isGenuine;
}

for (const [name, open] of [
  ["the blackboard in memory", openMemoryBench],
  ["a real Redis", () => openRedisBench(server)],
] as const) {
  describe(`on ${name}`, () => notifySuite(open));
}

test("a Redis that was away loses nothing that is still to be told, and nothing is told twice", async () => {
  await using redis = await startRedisServer();
  await using world = await createWorld(() => openRedisBench(redis));
  using receiver = startHookReceiver();
  await world.start([hookOf(receiver)]);
  await told(receiver, await world.state("release"));
  await world.logged("Delivered webhook");
  receiver.stop();
  const missed = [await world.state("fail"), await world.state("ask")];
  await world.logged("Webhook delivery failed");
  await waitFor("the question", async () => (await world.board.listOpenQuestions()).length > 0);
  await redis.kill();
  receiver.start();
  await redis.start();
  for (const goal of missed) await told(receiver, goal);
  await told(receiver, await world.state("release"));
  expect(receiver.received).toHaveLength(4);
});

function notifySuite(open: () => Promise<Bench>): void {
  test("every ending of a goal is told once, with what it ended with", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    const { metrics } = await world.start([hookOf(receiver)]);
    const endings = { release: "goal.achieved", fail: "goal.failed", settle: "goal.settled", nobody: "goal.stalled" };
    for (const [payload, type] of Object.entries(endings)) {
      const goal = await world.state(payload);
      const [message] = await told(receiver, goal);
      expect(message?.body).toMatchObject({ type, reminder: 0, goal: { id: goal.id, summary: payload } });
    }
    const [achieved] = receiver.of("goal.achieved");
    expect(achieved?.body.artefact).toMatchObject({ type: "Released", by: "worker", text: "1.2.0" });
    expect(receiver.of("goal.failed")[0]?.body.artefact).toMatchObject({ type: "ToolExecutionFailure", text: "exit 1" });
    expect(receiver.of("goal.stalled")[0]?.body.artefact).toBeUndefined();
    const asking = await world.state("ask");
    await told(receiver, asking);
    await world.board.logEvent({ type: "cancel_requested", goal_id: asking.goal_id }, "person:Ada");
    const types = (await told(receiver, asking, 2)).map(({ body }) => body.type);
    expect(types).toEqual(["question.asked", "goal.cancelled"]);
    expect(receiver.received).toHaveLength(6);
    expect(await metrics.registry.metrics()).toContain('sett_orchestrator_notices_total{kind="achieved",outcome="taken"} 1');
  });

  test("a question and an approval are told once, with who asks, what about and how to answer", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    await world.join({ worker }, [sampleAgent("ada", { human: true, bids: [{ on: "Draft", bid: "review" }] })]);
    await world.start([hookOf(receiver)]);
    const asking = await world.state("ask");
    const [question] = await told(receiver, asking);
    const { artefact } = question?.body ?? {};
    expect(question?.body).toMatchObject({
      type: "question.asked",
      reminder: 0,
      artefact: { by: "worker", text: "Which colour?" },
    });
    expect(question?.body.answer_with).toEqual([`sett answer ${artefact?.id} "…" --name ${world.board.instance}`]);
    expect(question?.id).toBe(`question-${artefact?.id}-0`);
    const [approval] = await told(receiver, await world.state("draft"));
    expect(approval?.body).toMatchObject({ type: "approval.wanted", approver: "ada", artefact: { type: "Draft", by: "worker" } });
    expect(approval?.body.answer_with?.map((command) => command.split(" ")[1])).toEqual(["approve", "reject"]);
    expect(receiver.received).toHaveLength(2);
  });

  test("every message is signed so that a receiver can check it, with a secret of either form", async () => {
    await using world = await createWorld(open);
    using plain = startHookReceiver();
    using encoded = startHookReceiver();
    const key = crypto.getRandomValues(new Uint8Array(24));
    await world.start([hookOf(plain), hookOf(encoded, { secret: `whsec_${key.toBase64()}` })]);
    const goal = await world.state("release");
    const [[one], [other]] = await Promise.all([told(plain, goal), told(encoded, goal)]);
    if (one === undefined || other === undefined) throw new Error("nothing was told");
    expect(await isSigned(one, new TextEncoder().encode(secret))).toBe(true);
    expect(await isSigned(other, key)).toBe(true);
    expect(await isSigned({ ...one, text: `${one.text} ` }, new TextEncoder().encode(secret))).toBe(false);
    expect(Math.abs(Number(one.timestamp) - Date.now() / 1_000)).toBeLessThan(60);
  });

  test("a hook that is down holds up no work, and is told when it is back", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    receiver.stop();
    await world.start([hookOf(receiver)]);
    const goals = [await world.state("release"), await world.state("release")];
    for (const goal of goals) await world.completed(goal);
    await world.logged("Webhook delivery failed");
    receiver.start();
    for (const goal of goals) await told(receiver, goal);
    expect(receiver.received).toHaveLength(2);
  });

  test("a hook that never answers is given up after the time limit and tried again under the same id, while work goes on", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver({ answer: "hang" });
    await world.start([hookOf(receiver)], { timeoutMs: 200 });
    const goal = await world.state("release");
    const [first] = await told(receiver, goal);
    await world.completed(await world.state("release"));
    receiver.answer = 200;
    await world.logged("Delivered webhook");
    const tries = await told(receiver, goal, 2);
    expect(new Set(tries.map(({ id }) => id))).toEqual(new Set([first?.id ?? ""]));
    expect(tries.map(({ text }) => text)).toEqual(tries.map(() => first?.text ?? ""));
  });

  for (const answer of [500, 429]) {
    test(`an answer of ${answer} is tried again, after others`, async () => {
      await using world = await createWorld(open);
      using receiver = startHookReceiver({ answer });
      await world.start([hookOf(receiver)]);
      const first = await world.state("release");
      await told(receiver, first);
      receiver.answer = 204;
      const second = await world.state("release");
      await told(receiver, second);
      const tries = await told(receiver, first, 2);
      expect(tries).toHaveLength(2);
      expect(receiver.received).toHaveLength(3);
    });
  }

  test("after a day of failures it is given up, and what comes later is told", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver({ answer: 500 });
    let laterMs = 0;
    await world.start([hookOf(receiver)], { clock: { ...systemClock, passedMs: () => performance.now() + laterMs } });
    const lost = await world.state("release");
    await world.logged("Webhook delivery failed");
    laterMs = 25 * 3_600_000;
    await world.logged("Gave up webhook delivery");
    receiver.answer = 204;
    await told(receiver, await world.state("fail"));
    expect(await told(receiver, lost, 2)).toHaveLength(2);
  });

  for (const answer of [404, 302]) {
    test(`an answer of ${answer} is not tried again, nor followed, and the log says so without showing address or secret`, async () => {
      await using world = await createWorld(open);
      using receiver = startHookReceiver({ answer });
      const running = await world.start([hookOf(receiver)]);
      await told(receiver, await world.state("ask"));
      await world.logged("Gave up webhook delivery");
      receiver.answer = 204;
      await running.kill();
      await world.start([hookOf(receiver)]);
      await told(receiver, await world.state("release"));
      expect(receiver.received).toHaveLength(2);
      const lines = world.log.join("\n");
      expect(lines).toContain(`The receiver answered with status ${answer}.`);
      expect(lines).not.toContain(secret);
      expect(lines).not.toContain("a-path-that-is-secret");
    });
  }

  test("what one orchestrator could not tell the next one tells, and nothing twice", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    using other = startHookReceiver();
    const hooks = [hookOf(receiver), hookOf(other)];
    const first = await world.start(hooks);
    const before = [await world.state("release"), await world.state("ask")];
    for (const goal of before) for (const each of [receiver, other]) await told(each, goal);
    await world.logged("Delivered webhook", 4);
    receiver.stop();
    const during = [await world.state("fail"), await world.state("ask")];
    for (const goal of during) await told(other, goal);
    await world.logged("Delivered webhook", 6);
    await world.logged("Webhook delivery failed");
    await first.kill();
    receiver.start();
    await world.start(hooks, { holder: "two" });
    for (const goal of during) await told(receiver, goal);
    const after = await world.state("release");
    for (const each of [receiver, other]) {
      await told(each, after);
      expect(each.received).toHaveLength(5);
    }
  });

  test("of two orchestrators only the one that leads tells anything", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    await world.start([hookOf(receiver)], { holder: "one" });
    await waitFor("a leader", () => world.board.readLeader());
    await world.start([hookOf(receiver)], { holder: "two" });
    for (const payload of ["release", "ask", "fail"]) await told(receiver, await world.state(payload));
    expect(receiver.received).toHaveLength(3);
  });

  test("what nobody answers is told again and again, over a restart too, until somebody does", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    const hooks = [hookOf(receiver, { remind_every_ms: 200 })];
    const first = await world.start(hooks);
    const goal = await world.state("ask");
    await told(receiver, goal, 2);
    await world.logged("Delivered webhook", 2);
    await first.kill();
    await world.start(hooks);
    const messages = await told(receiver, goal, 4);
    expect(messages.slice(0, 4).map(({ body }) => body.reminder)).toEqual([0, 1, 2, 3]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    const { artefact } = messages[0]?.body ?? {};
    // Nobody works on the goal any more, or the next question would follow.
    await world.board.logEvent({ type: "cancel_requested", goal_id: goal.goal_id }, "person:Ada");
    await waitFor("the end", () => receiver.of("goal.cancelled").length > 0);
    const reminders = receiver.of("question.asked").length;
    for (let count = 0; count < 3; count += 1) await told(receiver, await world.state("release"));
    expect(receiver.of("question.asked")).toHaveLength(reminders);
    expect(messages.every(({ body }) => body.artefact?.id === artefact?.id)).toBe(true);
    expect(receiver.of("goal.cancelled")).toHaveLength(1);
  });

  test("a question that was answered is told no more, and the next one is", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    await world.start([hookOf(receiver)]);
    const goal = await world.state("ask");
    const [asked] = await told(receiver, goal);
    await world.answer(asked?.body.artefact?.id ?? "", goal);
    const questions = (await told(receiver, goal, 2)).map(({ body }) => body.artefact?.id);
    expect(new Set(questions).size).toBe(2);
  });

  test("each hook is told of what it wants to hear of, and of nothing else", async () => {
    await using world = await createWorld(open);
    using people = startHookReceiver();
    using ends = startHookReceiver();
    await world.start([hookOf(people, { on: ["question", "approval"] }), hookOf(ends, { on: ["failed", "achieved"] })]);
    await told(people, await world.state("ask"));
    await world.completed(await world.state("nobody"));
    await told(ends, await world.state("fail"));
    await told(ends, await world.state("release"));
    expect(people.received.map(({ body }) => body.type)).toEqual(["question.asked"]);
    expect(ends.received.map(({ body }) => body.type)).toEqual(["goal.failed", "goal.achieved"]);
  });

  test("a hook that takes the place of another is not told again what that one was told just before", async () => {
    await using world = await createWorld(open);
    using one = startHookReceiver();
    using two = startHookReceiver();
    const before = await world.start([hookOf(one)]);
    await told(one, await world.state("release"));
    await world.logged("Delivered webhook");
    await before.kill();
    await world.start([hookOf(two)]);
    await told(two, await world.state("fail"));
    expect(two.received.map(({ body }) => body.type)).toEqual(["goal.failed"]);
  });

  test("a new hook is told of what waits, and not of how goals ended before it was there", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    const before = await world.start([hookOf(receiver)]);
    await told(receiver, await world.state("release"));
    await world.logged("Delivered webhook");
    await before.kill();
    const without = await world.start([]);
    await world.completed(await world.state("release"));
    const asking = await world.state("ask");
    await waitFor("the question", async () => (await world.board.listOpenQuestions()).length > 0);
    await without.kill();
    await world.start([hookOf(receiver)]);
    await told(receiver, asking);
    await told(receiver, await world.state("fail"));
    expect(receiver.received.map(({ body }) => body.type)).toEqual(["goal.achieved", "question.asked", "goal.failed"]);
  });

  test("a goal that is tried again after it failed is told of again when it ends again", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    await world.start([hookOf(receiver)]);
    const goal = await world.state("fail");
    const [failed] = await told(receiver, goal);
    const [failure] = (await world.board.readArtefacts(await world.board.listArtefactsOfGoal(goal.goal_id))).slice(1);
    if (failure === undefined) throw new Error("no failure");
    await world.board.logEvent({ type: "retry_requested", goal_id: goal.goal_id, artefact_id: failure.id }, "person:Ada");
    const [, again] = await told(receiver, goal, 2);
    expect(again?.body).toMatchObject({ type: "goal.failed", reminder: 0 });
    expect(again?.id).not.toBe(failed?.id);
  });
}
