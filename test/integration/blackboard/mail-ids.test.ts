// An agent writes its own mailbox, and so chooses the ids of its messages: none of them may keep
// the next from being read, or from being sent.
import { expect, test } from "bun:test";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { user } from "../../support/blackboard/scene.ts";
import { startService } from "../../support/process/service-process.ts";
import { agentName, newClaimId, sampleAgent } from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { refuseFunction } from "../../support/redis/refuse-function.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("demo");
const coder = agentName("coder");
const largest = "18446744073709551615";

async function createScene() {
  const redis = await startRedisServer();
  const board = await connectBlackboard({ url: redis.url, instance, ...patient });
  await board.registerAgents([sampleAgent("coder")], user, { exact: true });
  return {
    redis,
    board,
    /** At a place that the agent chooses. */
    sendAt: (place: string, id: string, text = "{") =>
      redis.cli("XADD", `sett:${instance}:agent:${coder}:out`, place, "id", id, "text", text),
    reads: async () =>
      Number(/cmdstat_xread:calls=(\d+)/.exec(await redis.cli("INFO", "commandstats"))?.[1] ?? 0),
    [Symbol.asyncDispose]: async () => {
      await board[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

const startOrchestrator = ({ redis }: Scene) =>
  startService("orchestrator", {
    SETT_INSTANCE_NAME: instance,
    REDIS_URL: redis.url,
    SETT_HEALTH_PORT: "0",
  });

const answered = ({ redis }: Scene, id: string) =>
  waitFor(`the answer to ${id}`, async () =>
    (await redis.cli("XRANGE", `sett:${instance}:agent:${coder}:in`, "-", "+")).includes(id),
  );

test("messages whose places are one number, where numbers are not exact, are each read, and read once", async () => {
  await using scene = await createScene();
  const stop = new AbortController();
  const found: string[] = [];
  const following = (async () => {
    for await (const mails of scene.board.followMail(stop.signal, () => false))
      found.push(...mails.map(({ id }) => id));
  })();
  await scene.sendAt("9007199254740992-1", "one");
  await waitFor("the first", () => found.length === 1);
  await scene.sendAt("9007199254740993-1", "two");
  await scene.sendAt("9007199254740993-18446744073709551613", "three");
  await waitFor("the others", () => found.length >= 2);
  await scene.sendAt("9007199254740993-18446744073709551614", "four");
  await waitFor("the last", () => found.at(-1) === "four");
  expect(found).toEqual(["one", "two", "three", "four"]);
  const before = await scene.reads();
  // A message of which the reader believes that it was read before would be read again at once, for
  // ever.
  await scene.sendAt("9007199254740994-1", "five");
  await waitFor("one more", () => found.at(-1) === "five");
  expect((await scene.reads()) - before).toBeLessThan(10);
  stop.abort();
  await following;
});

test("a mailbox that was closed with the last possible place takes messages again, on record", async () => {
  await using scene = await createScene();
  await using service = startOrchestrator(scene);
  await scene.sendAt(`${largest}-${largest}`, "last-one");
  await answered(scene, "last-one");
  await scene.board.sendMail(coder, {
    id: "next-one",
    text: JSON.stringify({ message: { say: "alive", claim: newClaimId() } }),
  });
  await answered(scene, "next-one");
  // The message itself is refused just before, for another reason.
  const refused = (await scene.board.readEvents("0", 100)).filter(
    ({ type }) => type === "mail_refused",
  );
  expect(refused.map(({ agent, data }) => [agent, data])).toEqual([
    [coder, { reason: expect.stringMatching(/^The message cannot be read: /), count: 1 }],
    [coder, { reason: "It has closed its mailbox with the last place that there is.", count: 1 }],
  ]);
  // So does one that was closed and emptied while no orchestrator ran.
  await service[Symbol.asyncDispose]();
  await scene.sendAt(`${largest}-${largest}`, "gone");
  await scene.redis.cli("XTRIM", `sett:${instance}:agent:${coder}:out`, "MAXLEN", "0");
  await using _next = startOrchestrator(scene);
  await scene.board.sendMail(coder, { id: "after-it", text: "{" });
  await answered(scene, "after-it");
}, 120_000);

test("so does one whose last message is dealt with before those that came before it", async () => {
  await using scene = await createScene();
  await using _service = startOrchestrator(scene);
  await scene.sendAt("*", "first-one");
  await answered(scene, "first-one");
  const mend = await refuseFunction(scene.redis.url, "renewLease");
  const alive = { message: { say: "alive", claim: newClaimId(), attempt: 1 } };
  await scene.sendAt("*", "slow-one", JSON.stringify(alive));
  await scene.sendAt(`${largest}-${largest}`, "last-one");
  await answered(scene, "last-one");
  await mend();
  await answered(scene, "slow-one");
  await waitFor("the mailbox to take messages", () =>
    scene.board.sendMail(coder, { id: "next-one", text: "{" }).then(
      () => true,
      () => false,
    ),
  );
  await answered(scene, "next-one");
}, 120_000);

test("answers that were trimmed while the program of an agent slept are noticed, and all that is unanswered is to be sent again", async () => {
  await using scene = await createScene();
  const stop = new AbortController();
  let fresh = 0;
  const onFresh = () => {
    fresh += 1;
  };
  const answers = scene.board
    .followMailAnswers(coder, stop.signal, onFresh)
    [Symbol.asyncIterator]();
  const add = (count: number) =>
    scene.redis.cli(
      "EVAL",
      `for i = 1, ARGV[1] do redis.call('XADD', KEYS[1], 'MAXLEN', 1000, '*', 're', i, 'text', 'yes') end
      redis.call('PUBLISH', KEYS[1], '')`,
      "1",
      `sett:${instance}:agent:${coder}:in`,
      String(count),
    );
  const first = answers.next();
  await waitFor("the beginning", () => fresh === 1);
  await add(1);
  await first;
  // As many as are kept are no loss.
  await add(999);
  expect((await answers.next()).value).toHaveLength(500);
  expect((await answers.next()).value).toHaveLength(499);
  expect(fresh).toBe(1);
  await add(1_500);
  expect((await answers.next()).value).toHaveLength(500);
  expect(fresh).toBe(2);
  stop.abort();
  await answers.return?.(undefined);
});
