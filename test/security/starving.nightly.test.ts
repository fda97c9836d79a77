// A hostile command in a real agent's container sends as much as it can. Its own user of Redis
// permits these calls, but the others work on meanwhile.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { agentName } from "../support/records/sample.ts";
import { HostileScene } from "../support/security/hostile-scene.ts";
import type { Order, Outcome } from "../support/security/intruder.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

let scene: HostileScene;
let firstRedis: string | undefined;

beforeAll(async () => {
  scene = await HostileScene.create();
  firstRedis = await runId();
});

afterAll(() => scene?.[Symbol.asyncDispose]());

const mebibyte = 1024 ** 2;
const mailbox = () => scene.targets.keys.mailOut(agentName("mallory"));
const mail = () => ["XADD", mailbox(), "*", "id", "mallory", "text"];

async function runId(): Promise<string | undefined> {
  return /run_id:(\w+)/.exec(await scene.owner.info("server"))?.[1];
}

/** Carries out the order, while a goal is posted and ends well. */
async function whileOthersWork(order: Order): Promise<Outcome> {
  const [outcome] = await Promise.all([
    scene.order(order),
    scene.sett.need("forage", "--watch", "--goal", "Letter"),
  ]);
  return outcome;
}

/** Resolves when this type of event is on record since then. */
async function recorded(type: string, since: string): Promise<Record<string, unknown>> {
  return await waitFor(
    type,
    async () => (await scene.eventsOf(since)).find((event) => event.type === type)?.data,
  );
}

test("an entry of one gigabyte is not taken", async () => {
  const outcome = await whileOthersWork({ large: mail(), bytes: 1024 * mebibyte });
  // Redis hangs up at once; whether the intruder has read why before it can write no more, is
  // chance.
  const refused = '{"refused":"ERR Protocol error: invalid bulk length"}';
  const possible: Outcome[] = [
    { replies: [1, refused] },
    { replies: [1, refused], closed: true },
    { replies: [0], closed: true },
  ];
  expect(possible).toContainEqual(outcome);
  const entries = (await scene.owner.xRange(mailbox(), "-", "+")) ?? [];
  expect(entries.filter(({ message }) => message.id === "mallory")).toEqual([]);
});

test("an entry of the largest size that Redis takes is refused, and removed", async () => {
  const since = await scene.lastEvent();
  expect(await whileOthersWork({ large: mail(), bytes: 60 * mebibyte })).toEqual({
    replies: [1, "taken"],
  });
  const { reason } = await recorded("mail_refused", since);
  expect(reason).toStartWith("The message cannot be read: ");
  await waitFor("an empty mailbox", async () => (await scene.owner.xLen(mailbox())) === 0);
});

test("two thousand connections are ended, which is on record, and a person still gets in", async () => {
  const since = await scene.lastEvent();
  // How many of them Redis has served by the time at which they are ended, is chance.
  expect(await whileOthersWork({ connections: 2_000 })).toEqual({ served: expect.any(Number) });
  const { user, connections, limit } = await recorded("connections_ended", since);
  expect(user).toBe("agent-mallory");
  expect(connections).toBeGreaterThan(Number(limit));
  const ofMallory = async () =>
    (await scene.owner.clientList()).filter(({ user }) => user === "agent-mallory").length;
  // On a busy machine some come after the others have been ended; they are ended as well where they
  // exceed the limit.
  await waitFor(
    "its connections to be within the limit",
    async () => (await ofMallory()) <= Number(limit),
  );
  expect(await scene.order({ leave: true })).toEqual({ text: "" });
});

/** The others' work is what has to be long enough: the flood goes on until they have ended. */
const atLeast = 400_000;

test("entries by the hundred thousand, one after the other, keep no other agent's mail waiting", async () => {
  let areOthersDone = false;
  const flood = async () => {
    for (let sent = 0; sent < atLeast || !areOthersDone; sent += 100_000)
      expect(await scene.order({ flood: [...mail(), "rubbish"], times: 100_000 })).toEqual({
        replies: [100_000, "taken"],
      });
  };
  const others = async () => {
    // The flood is there before the others begin, and goes on until they have ended.
    await waitFor("the flood", async () => (await scene.owner.xLen(mailbox())) > 0);
    await scene.sett.need("forage", "--watch", "--goal", "Letter");
    await scene.sett.need("answer", scene.targets.question, "the red one");
    const door = async () => (await scene.artefactsOf("Door"))[0]?.payload;
    expect(await waitFor("the door", door, { everyMs: 100 })).toBe("the red one");
  };
  const working = others().finally(() => {
    areOthersDone = true;
  });
  await Promise.all([flood(), working]);
});

test("Redis has not been restarted meanwhile, no other agent has lost its work, and the log has few words about it", async () => {
  expect(await runId()).toBe(firstRedis);
  const { owner, targets } = scene;
  expect(
    JSON.parse((await owner.hGet(targets.keys.grants(targets.claims.work), "busy")) ?? "{}"),
  ).toEqual(targets.running);
  const refusals = (await scene.eventsOf("0")).filter(({ type }) => type === "mail_refused");
  expect(refusals.length).toBeGreaterThan(0);
  expect(refusals.length).toBeLessThan(20);
});
