// What people outside are told, by real receivers of webhooks; on the blackboard in memory and on a real Redis.
import { afterAll, describe, expect, test } from "bun:test";
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
  describe(`on ${name}`, () => messageSuite(open));
}

function messageSuite(open: () => Promise<Bench>): void {
  test("every ending of a goal is told once, with what it ended with", async () => {
    await using world = await createWorld(open);
    using receiver = startHookReceiver();
    const { metrics } = await world.start([hookOf(receiver)]);
    const endings = { release: "goal.achieved", fail: "goal.failed", settle: "goal.settled", unwanted: "goal.stalled" };
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

  test("an unanswered question is announced again and again, over a restart too, until it is answered or its goal ends", async () => {
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
    // No agent works on the goal any more, or the next question would follow.
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
    await world.completed(await world.state("unwanted"));
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
