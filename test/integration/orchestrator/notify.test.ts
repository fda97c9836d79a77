// Which messages people outside get, by real receivers of webhooks.
import { afterAll, expect, test } from "bun:test";
import { hrefOf } from "../../../apps/page/routes.ts";
import type { Hook } from "../../../lib/model/notify.ts";
import { nightly } from "../../support/nightly.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Member } from "../../support/world/clan.ts";
import {
  type HookReceiver,
  type Received,
  startHookReceiver,
} from "../../support/world/hook-receiver.ts";
import type { Behaviour } from "../../support/world/played-agent.ts";
import { placeInRedis } from "../../support/world/redis-place.ts";
import {
  hookOf,
  messagesAbout,
  secret,
  webhookClan,
  worker,
} from "../../support/world/webhook-clan.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());

/** Not our own code: the receiver's side of Standard Webhooks, by Web Crypto. */
async function isSigned(
  { id, timestamp, signature, text }: Received,
  key: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
  const [version, value = ""] = signature.split(",");
  const bytes = Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0));
  const isGenuine = await crypto.subtle.verify(
    "HMAC",
    imported,
    bytes,
    new TextEncoder().encode(`${id}.${timestamp}.${text}`),
  );
  return version === "v1" && isGenuine;
}

const open = () => placeInRedis(server);

test("every ending of a goal is delivered once, with its result", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver();
  const { metrics } = await clan.start([hookOf(receiver)]);
  const endings = {
    release: "goal.achieved",
    fail: "goal.failed",
    settle: "goal.settled",
    unwanted: "goal.stalled",
  };
  for (const [payload, type] of Object.entries(endings)) {
    const goal = await clan.postGoal(payload);
    const [message] = await messagesAbout(receiver, goal);
    expect(message?.body).toMatchObject({
      type,
      reminder: 0,
      goal: { id: goal.id, summary: payload },
    });
  }
  const [achieved] = receiver.of("goal.achieved");
  expect(achieved?.body.artefact).toMatchObject({
    type: "Released",
    by: "worker",
    text: "1.2.0",
  });
  expect(receiver.of("goal.failed")[0]?.body.artefact).toMatchObject({
    type: "ToolExecutionFailure",
    text: "exit 1",
  });
  expect(receiver.of("goal.stalled")[0]?.body.artefact).toBeUndefined();
  const asking = await clan.postGoal("ask");
  await messagesAbout(receiver, asking);
  await clan.board.logEvent({ type: "cancel_requested", goal_id: asking.goal_id }, "person:Ada");
  const types = (await messagesAbout(receiver, asking, 2)).map(({ body }) => body.type);
  expect(types).toEqual(["question.asked", "goal.cancelled"]);
  expect(receiver.received).toHaveLength(6);
  expect(await metrics.registry.metrics()).toContain(
    'sett_orchestrator_notices_total{kind="achieved",outcome="taken"} 1',
  );
});

test("a question and an approval are delivered once, with who asks, what about and how to answer", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver();
  await clan.join({
    worker: { behaviour: worker },
    ada: { human: true, bids: [{ on: "Draft", bid: "review" }] },
  });
  await clan.start([hookOf(receiver)]);
  const asking = await clan.postGoal("ask");
  const [question] = await messagesAbout(receiver, asking);
  const { artefact } = question?.body ?? {};
  expect(question?.body).toMatchObject({
    type: "question.asked",
    reminder: 0,
    artefact: { by: "worker", text: "Which colour?" },
  });
  expect(question?.body.answer_with).toEqual([
    `sett answer ${artefact?.id} "…" --name ${clan.board.instance}`,
  ]);
  expect(question?.id).toBe(`question-${artefact?.id}-0`);
  const [approval] = await messagesAbout(receiver, await clan.postGoal("draft"));
  expect(approval?.body).toMatchObject({
    type: "approval.wanted",
    approver: "ada",
    artefact: { type: "Draft", by: "worker" },
  });
  expect(approval?.body.answer_with?.map((command) => command.split(" ")[1])).toEqual([
    "approve",
    "reject",
  ]);
  expect(receiver.received).toHaveLength(2);
});

test("every message is signed so that a receiver can check it, with a secret of either form", async () => {
  await using clan = await webhookClan(open());
  using plain = startHookReceiver();
  using encoded = startHookReceiver();
  const key = crypto.getRandomValues(new Uint8Array(24));
  await clan.start([hookOf(plain), hookOf(encoded, { secret: `whsec_${key.toBase64()}` })]);
  const goal = await clan.postGoal("release");
  const [[one], [other]] = await Promise.all([
    messagesAbout(plain, goal),
    messagesAbout(encoded, goal),
  ]);
  if (one === undefined || other === undefined) throw new Error("no message came");
  expect(await isSigned(one, new TextEncoder().encode(secret))).toBe(true);
  expect(await isSigned(other, key)).toBe(true);
  expect(await isSigned({ ...one, text: `${one.text} ` }, new TextEncoder().encode(secret))).toBe(
    false,
  );
  expect(Math.abs(Number(one.timestamp) - Date.now() / 1_000)).toBeLessThan(3_600);
});

nightly(
  "an unanswered question is announced again and again, over a restart too, until it is answered or its goal ends",
  async () => {
    await using clan = await webhookClan(open());
    using receiver = startHookReceiver();
    const hooks = [hookOf(receiver, { remind_every_ms: 200 })];
    const first = await clan.start(hooks);
    const goal = await clan.postGoal("ask");
    await messagesAbout(receiver, goal, 2);
    await clan.logged("Delivered webhook", 2);
    await first.stop();
    await clan.start(hooks);
    const messages = await messagesAbout(receiver, goal, 4);
    expect(messages.slice(0, 4).map(({ body }) => body.reminder)).toEqual([0, 1, 2, 3]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    const { artefact } = messages[0]?.body ?? {};
    // No agent works on the goal any more, or the next question would follow.
    await clan.board.logEvent({ type: "cancel_requested", goal_id: goal.goal_id }, "person:Ada");
    await waitFor("the end", () => receiver.of("goal.cancelled").length > 0);
    const reminders = receiver.of("question.asked").length;
    for (let count = 0; count < 3; count += 1)
      await messagesAbout(receiver, await clan.postGoal("release"));
    expect(receiver.of("question.asked")).toHaveLength(reminders);
    expect(messages.every(({ body }) => body.artefact?.id === artefact?.id)).toBe(true);
    expect(receiver.of("goal.cancelled")).toHaveLength(1);
  },
);

test("a question that was answered is announced no more, and the next one is", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver();
  await clan.start([hookOf(receiver)]);
  const goal = await clan.postGoal("ask");
  const [delivery] = await messagesAbout(receiver, goal);
  await clan.answer(delivery?.body.artefact?.id ?? "", goal);
  const questions = (await messagesAbout(receiver, goal, 2)).map(({ body }) => body.artefact?.id);
  expect(new Set(questions).size).toBe(2);
});

test("each hook gets the kinds of messages that it asks for, and no others", async () => {
  await using clan = await webhookClan(open());
  using people = startHookReceiver();
  using ends = startHookReceiver();
  await clan.start([
    hookOf(people, { on: ["question", "approval"] }),
    hookOf(ends, { on: ["failed", "achieved"] }),
  ]);
  await messagesAbout(people, await clan.postGoal("ask"));
  await clan.completed(await clan.postGoal("unwanted"));
  await messagesAbout(ends, await clan.postGoal("fail"));
  await messagesAbout(ends, await clan.postGoal("release"));
  expect(people.received.map(({ body }) => body.type)).toEqual(["question.asked"]);
  expect(ends.received.map(({ body }) => body.type)).toEqual(["goal.failed", "goal.achieved"]);
});

nightly("a hook that replaces another does not get again what the other one got", async () => {
  await using clan = await webhookClan(open());
  using one = startHookReceiver();
  using two = startHookReceiver();
  const before = await clan.start([hookOf(one)]);
  await messagesAbout(one, await clan.postGoal("release"));
  await clan.logged("Delivered webhook");
  await before.stop();
  await clan.start([hookOf(two)]);
  await messagesAbout(two, await clan.postGoal("fail"));
  expect(two.received.map(({ body }) => body.type)).toEqual(["goal.failed"]);
});

test("a new hook gets what still waits, and not how goals ended before it was there", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver();
  const before = await clan.start([hookOf(receiver)]);
  await messagesAbout(receiver, await clan.postGoal("release"));
  await clan.logged("Delivered webhook");
  await before.stop();
  const without = await clan.start([]);
  await clan.completed(await clan.postGoal("release"));
  const asking = await clan.postGoal("ask");
  await waitFor("the question", async () => (await clan.board.listOpenQuestions()).length > 0);
  await without.stop();
  await clan.start([hookOf(receiver)]);
  await messagesAbout(receiver, asking);
  await messagesAbout(receiver, await clan.postGoal("fail"));
  expect(receiver.received.map(({ body }) => body.type)).toEqual([
    "goal.achieved",
    "question.asked",
    "goal.failed",
  ]);
});

test("a goal that is retried after it failed is announced again when it ends again", async () => {
  await using clan = await webhookClan(open());
  using receiver = startHookReceiver();
  await clan.start([hookOf(receiver)]);
  const goal = await clan.postGoal("fail");
  const [failed] = await messagesAbout(receiver, goal);
  const [failure] = (
    await clan.board.readArtefacts(await clan.board.listArtefactsOfGoal(goal.goal_id))
  ).slice(1);
  if (failure === undefined) throw new Error("no failure");
  await clan.board.logEvent(
    { type: "retry_requested", goal_id: goal.goal_id, artefact_id: failure.id },
    "person:Ada",
  );
  const [, again] = await messagesAbout(receiver, goal, 2);
  expect(again?.body).toMatchObject({ type: "goal.failed", reminder: 0 });
  expect(again?.id).not.toBe(failed?.id);
});

test("an approval arrives in the form that each receiver takes, with a link to exactly this one on the page", async () => {
  await using clan = await webhookClan(open());
  using slack = startHookReceiver();
  using ntfy = startHookReceiver();
  using own = startHookReceiver();
  const ada: Member = { human: true, bids: [{ on: "Draft", bid: "review" }] };
  // The other worker ignores this goal.
  const chatty: Behaviour = {
    bid: ({ payload }) => (payload === "unwanted" ? "exclusive" : "ignore"),
    work: () => ({ type: "Draft", payload: "<!channel> & *all*" }),
  };
  await clan.join({ chatty: { behaviour: chatty }, ada });
  const page = "https://sett.example.org/";
  const form = (receiver: HookReceiver, over: Partial<Hook>) => {
    const { secret: _, ...hook } = hookOf(receiver, { page, on: ["approval"], ...over });
    return hook;
  };
  await clan.start([
    form(slack, { body: "slack" }),
    form(ntfy, { body: "ntfy", url: `${new URL(ntfy.url).origin}/sett-topic_1` }),
    form(own, {
      body: { content: "{{ title }}", embeds: [{ url: "{{ link }}", color: 3 }], by: "{{ by }}" },
    }),
  ]);
  const goal = await clan.postGoal("unwanted");
  const draft = await clan.made(goal, ({ type }) => type === "Draft");
  const arrived = async (receiver: HookReceiver) => {
    await waitFor(
      "a message",
      () => Promise.resolve(receiver.received.length === 1),
      clan.patience,
    );
    const [message] = receiver.received;
    if (message === undefined) throw new Error("No message came.");
    expect(message.signature).toBe("");
    return { path: message.path, body: message.body as unknown };
  };
  const link = `https://sett.example.org/${hrefOf("/inbox", { i: `${draft.id} ada` })}`;
  const title = "Draft of chatty waits for approval of ada: <!channel> & *all*";

  expect((await arrived(slack)).body).toEqual({
    text: "Draft of chatty waits for approval of ada: &lt;!channel&gt; &amp; *all*",
    blocks: [
      { type: "header", text: { type: "plain_text", text: title } },
      { type: "section", text: { type: "plain_text", text: "<!channel> & *all*" } },
      {
        type: "section",
        text: {
          type: "mrkdwn",
          text: `<${link}|Open it on the page>\n\`sett approve ${draft.id} --name ${clan.board.instance}\``,
        },
      },
    ],
  });
  // ntfy takes JSON at its root, and not at the address of the topic.
  expect(await arrived(ntfy)).toEqual({
    path: "/",
    body: { topic: "sett-topic_1", title, message: "<!channel> & *all*", priority: 4, click: link },
  });
  expect((await arrived(own)).body).toEqual({
    content: title,
    embeds: [{ url: link, color: 3 }],
    by: "chatty",
  });
});
