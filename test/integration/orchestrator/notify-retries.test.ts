// Webhooks that fail: what is tried again, what is given up, and what another orchestrator takes
// over.
import { afterAll, expect, test } from "bun:test";
import { systemClock } from "../../../lib/async/clock.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { refuseFunction } from "../../support/redis/refuse-function.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startHookReceiver } from "../../support/world/hook-receiver.ts";
import { placeInRedis } from "../../support/world/redis-place.ts";
import { hookOf, messagesAbout, secret, webhookClan } from "../../support/world/webhook-clan.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());

const open = () => placeInRedis(server);

nightly("while Redis is away no delivery is lost, and none is made twice", async () => {
  await using redis = await startRedisServer();
  await using clan = await webhookClan(placeInRedis(redis));
  using receiver = startHookReceiver();
  await clan.start([hookOf(receiver)]);
  await messagesAbout(receiver, await clan.postGoal("release"));
  await clan.logged("Delivered webhook");
  receiver.stop();
  const missed = [await clan.postGoal("fail"), await clan.postGoal("ask")];
  await clan.logged("Webhook delivery failed");
  await waitFor("the question", async () => (await clan.board.listOpenQuestions()).length > 0);
  await redis.kill();
  receiver.start();
  await redis.start();
  for (const goal of missed) await messagesAbout(receiver, goal);
  await messagesAbout(receiver, await clan.postGoal("release"));
  expect(receiver.received).toHaveLength(4);
});

test("a hook that is down delays no work, and gets its messages when it is back", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver();
  receiver.stop();
  await clan.start([hookOf(receiver)]);
  const goals = [await clan.postGoal("release"), await clan.postGoal("release")];
  for (const goal of goals) await clan.completed(goal);
  await clan.logged("Webhook delivery failed");
  receiver.start();
  for (const goal of goals) await messagesAbout(receiver, goal);
  expect(receiver.received).toHaveLength(2);
});

nightly(
  "a goal's ending that Redis refuses to read is delivered when it can be read again",
  async () => {
    await using redis = await startRedisServer();
    await using clan = await webhookClan(placeInRedis(redis));
    // It refuses until the reading fails, so that there is still something to be read.
    using receiver = startHookReceiver({ answer: 503 });
    await clan.start([hookOf(receiver)]);
    const goal = await clan.postGoal("release");
    await clan.completed(goal);
    const repair = await refuseFunction(redis.url, "readHeads");
    await clan.logged("Could not read what to notify about");
    receiver.answer = 204;
    await repair();
    await clan.logged("Delivered webhook");
    expect(receiver.received.at(-1)?.body).toMatchObject({
      type: "goal.achieved",
      goal: { id: goal.id },
    });
  },
);

test("a hook that is down or refuses is on record by its address, without its path, until it is notified", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver();
  receiver.stop();
  await clan.start([hookOf(receiver)]);
  await clan.postGoal("release");
  const first = () => clan.board.readNoticeProblems().then(([problem]) => problem);
  const down = await waitFor("the problem to be on record", first);
  expect(down).toMatchObject({ to: new URL(receiver.url).origin, is_given_up: false });
  receiver.answer = 404;
  receiver.start();
  const refused = await waitFor("the refusal", async () => {
    const problem = await first();
    return problem?.is_given_up === true && problem;
  });
  expect(refused).toMatchObject({
    since: down.since,
    reason: "The receiver answered with status 404.",
    status: 404,
  });
  receiver.answer = 204;
  await clan.postGoal("release");
  await waitFor("the record to be empty", async () => (await first()) === undefined);
});

test("of hooks with one address each is on record by its place in sett.yml", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver({ answer: 404 });
  using other = startHookReceiver({ answer: 404 });
  const alike = hookOf(receiver, { url: `${receiver.url}/other` });
  await clan.start([hookOf(receiver), hookOf(other), alike]);
  await clan.postGoal("release");
  const problems = await waitFor("three problems", async () => {
    const found = await clan.board.readNoticeProblems();
    return found.length === 3 && found;
  });
  const named = problems.map(({ to, place }) => `${to} ${String(place)}`).toSorted();
  const [own, others] = [receiver, other].map(({ url }) => new URL(url).origin);
  expect(named).toEqual([`${own} 1`, `${own} 3`, `${others} undefined`].toSorted());
});

test("a hook that never answers is given up after the time limit and tried again under the same id, while work goes on", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver({ answer: "hang" });
  await clan.start([hookOf(receiver)], { timeoutMs: 200 });
  const goal = await clan.postGoal("release");
  const [first] = await messagesAbout(receiver, goal);
  await clan.completed(await clan.postGoal("release"));
  receiver.answer = 200;
  await clan.logged("Delivered webhook");
  const tries = await messagesAbout(receiver, goal, 2);
  expect(new Set(tries.map(({ id }) => id))).toEqual(new Set([first?.id ?? ""]));
  expect(tries.map(({ text }) => text)).toEqual(tries.map(() => first?.text ?? ""));
});

for (const answer of isNight ? [500, 429] : [500]) {
  test(`an answer of ${answer} is tried again, after others`, async () => {
    await using clan = await webhookClan(open());
    using receiver = startHookReceiver({ answer });
    await clan.start([hookOf(receiver)]);
    const first = await clan.postGoal("release");
    await messagesAbout(receiver, first);
    receiver.answer = 204;
    const second = await clan.postGoal("release");
    await messagesAbout(receiver, second);
    const tries = await messagesAbout(receiver, first, 2);
    expect(tries).toHaveLength(2);
    expect(receiver.received).toHaveLength(3);
  });
}

nightly("after a day of failures a message is given up, and later ones are delivered", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver({ answer: 500 });
  let laterMs = 0;
  await clan.start([hookOf(receiver)], {
    clock: { ...systemClock, passedMs: () => performance.now() + laterMs },
  });
  const lost = await clan.postGoal("release");
  await clan.logged("Webhook delivery failed");
  laterMs = 25 * 3_600_000;
  await clan.logged("Gave up webhook delivery");
  receiver.answer = 204;
  await messagesAbout(receiver, await clan.postGoal("fail"));
  expect(await messagesAbout(receiver, lost, 2)).toHaveLength(2);
});

for (const answer of isNight ? [404, 302] : [302]) {
  test(`an answer of ${answer} is not tried again, nor followed, and the log says so without showing address or secret`, async () => {
    await using clan = await webhookClan(open());
    using receiver = startHookReceiver({ answer });
    const running = await clan.start([hookOf(receiver)]);
    await messagesAbout(receiver, await clan.postGoal("ask"));
    await clan.logged("Gave up webhook delivery");
    receiver.answer = 204;
    await running.stop();
    await clan.start([hookOf(receiver)]);
    await messagesAbout(receiver, await clan.postGoal("release"));
    expect(receiver.received).toHaveLength(2);
    const lines = clan.log.join("\n");
    expect(lines).toContain(`The receiver answered with status ${answer}.`);
    expect(lines).not.toContain(secret);
    expect(lines).not.toContain("a-path-that-is-secret");
  });
}

test("the next orchestrator delivers what the one before could not, and nothing twice", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver();
  using other = startHookReceiver();
  const hooks = [hookOf(receiver), hookOf(other)];
  const first = await clan.start(hooks);
  const before = [await clan.postGoal("release"), await clan.postGoal("ask")];
  for (const goal of before) for (const each of [receiver, other]) await messagesAbout(each, goal);
  await clan.logged("Delivered webhook", 4);
  receiver.stop();
  const during = [await clan.postGoal("fail"), await clan.postGoal("ask")];
  for (const goal of during) await messagesAbout(other, goal);
  await clan.logged("Delivered webhook", 6);
  await clan.logged("Webhook delivery failed");
  await first.stop();
  receiver.start();
  await clan.start(hooks, { holder: "two" });
  for (const goal of during) await messagesAbout(receiver, goal);
  const after = await clan.postGoal("release");
  for (const each of [receiver, other]) {
    await messagesAbout(each, after);
    expect(each.received).toHaveLength(5);
  }
});

nightly("of two orchestrators only the leader delivers messages", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver();
  await clan.start([hookOf(receiver)], { holder: "one" });
  await waitFor("a leader", () => clan.board.readLeader());
  await clan.start([hookOf(receiver)], { holder: "two" });
  for (const payload of ["release", "ask", "fail"])
    await messagesAbout(receiver, await clan.postGoal(payload));
  expect(receiver.received).toHaveLength(3);
});
