import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { defaultLimits } from "../../../apps/api/deps.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import { EventClient } from "../../support/api/event-client.ts";
import { nightly } from "../../support/nightly.ts";
import { newGoalId } from "../../support/records/sample.ts";
import { type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

let redis: RedisServer;
let scene: ApiScene;

beforeAll(async () => {
  redis = await startRedisServer();
  scene = await ApiScene.start({}, { redis, orchestrator: false });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

async function log(
  count: number,
  over: { goal_id?: ReturnType<typeof newGoalId> } = {},
  { clan } = scene,
): Promise<string[]> {
  return await Promise.all(
    Array.from({ length: count }, (_, at) =>
      clan.board.logEvent({ type: "cancel_requested", ...over, data: { at } }, "person:test"),
    ),
  );
}

const idsOf = ({ events }: EventClient) => events.map(({ id }) => id);
const allIds = async ({ clan } = scene) =>
  (await clan.board.readEvents("0", 100_000)).map(({ id }) => id);

test("a client without a place gets only what is new", async () => {
  await log(5);
  await using client = new EventClient(scene);
  await waitFor("the stream", () => client.status === 200);
  expect(client.contentType).toBe("text/event-stream");
  await waitFor(
    "the hub to know it",
    async () => (await log(1)).length > 0 && client.events.length > 0,
    { everyMs: 50 },
  );
  const [first] = client.events;
  expect((await allIds()).indexOf(first?.id ?? "")).toBeGreaterThanOrEqual(5);
});

test("a client that asks for the past gets the whole log, and goes on with what is new, each event once", async () => {
  await log(1_300);
  await using client = new EventClient(scene, "?after=0");
  await log(700);
  await waitFor("all events", async () => client.events.length >= (await allIds()).length);
  expect(idsOf(client)).toEqual(await allIds());
});

test("clients that join while much happens miss nothing and get nothing twice", async () => {
  const clients = Array.from({ length: 20 }, () => new EventClient(scene, "?after=0"));
  for (let round = 0; round < 10; round += 1) await log(100);
  const ids = await allIds();
  for (const client of clients) {
    await waitFor("all events", () => client.events.length >= ids.length);
    expect(idsOf(client)).toEqual(ids);
    await client[Symbol.asyncDispose]();
  }
});

test("a client goes on after the last event that it has seen, also when the address says another place", async () => {
  const [, second = "", third] = (await log(3)).toSorted();
  await using client = new EventClient(scene, "?after=0", { headers: { "last-event-id": second } });
  await waitFor("the next", () => client.events.length > 0);
  expect(client.events[0]?.id).toBe(third ?? "");
});

test("a client that claims to be ahead of the log reads that it is not, and begins at its end", async () => {
  const [newest = ""] = await log(1);
  await using client = new EventClient(scene, "", {
    headers: { "last-event-id": "99999999999999-0" },
  });
  await waitFor("the comment", () => client.comments.length > 0);
  expect(client.comments[0]).toBe(
    `The log has no event 99999999999999-0 yet: its newest is ${newest}, after which this stream begins.`,
  );
  const [next = ""] = await log(1);
  await waitFor("what is new", () => idsOf(client).includes(next));
});

test("filters leave out what a client does not want, in the past and live", async () => {
  const goal = newGoalId();
  await log(3, { goal_id: goal });
  await using client = new EventClient(
    scene,
    `?after=0&type=cancel_requested,goal_ended&actor=person:te`,
  );
  await using other = new EventClient(scene, "?after=0&agent=coder");
  await using page = new EventClient(scene, "?after=0&type=goal_ended");
  await log(2, { goal_id: goal });
  await waitFor("all events", async () => client.events.length === (await allIds()).length);
  expect([other.events.length, page.events.length]).toEqual([0, 0]);
});

test("a filter by a goal that does not exist, and a place that is none, are refused before the stream begins", async () => {
  const headers = { accept: "text/event-stream" };
  expect(await scene.get("/v1/events?goal=00000000", { headers })).toMatchObject({ status: 404 });
  expect(await scene.get("/v1/events?after=yesterday", { headers })).toMatchObject({ status: 422 });
  expect(
    await scene.get("/v1/events", { headers: { ...headers, "last-event-id": "x" } }),
  ).toMatchObject({ status: 422 });
});

test("a silent stream is kept open by pings", async () => {
  const limits = { ...defaultLimits, stream: { pingMs: 30, patienceMs: 10_000 } };
  await using quick = await ApiScene.start({}, { redis, orchestrator: false, deps: { limits } });
  await using client = new EventClient(quick);
  await waitFor("three pings", () => client.pings >= 3);
});

test("only so many streams are open at the same time, and one that ends makes room", async () => {
  const limits = { ...defaultLimits, maxStreams: 2 };
  await using small = await ApiScene.start({}, { redis, orchestrator: false, deps: { limits } });
  const first = new EventClient(small);
  await using second = new EventClient(small);
  await waitFor("both streams", () => first.status === 200 && second.status === 200);
  const ask = () => small.get("/v1/events", { headers: { accept: "text/event-stream" } });
  expect(await ask()).toMatchObject({ status: 429, body: { code: "too-many-requests" } });
  await first[Symbol.asyncDispose]();
  await waitFor("room", async () => {
    const third = new EventClient(small);
    await waitFor("an answer", () => third.status !== 0);
    const { status } = third;
    await third[Symbol.asyncDispose]();
    return status === 200;
  });
});

test("after a loss of Redis the stream goes on without a gap or a repeat", async () => {
  await using own = await startRedisServer();
  await using lost = await ApiScene.start({}, { redis: own, orchestrator: false });
  await using client = new EventClient(lost, "?after=0");
  await log(50, {}, lost);
  await waitFor("the first", () => client.events.length === 50);
  await own.kill();
  await own.start();
  await log(50, {}, lost);
  await waitFor("the rest", () => client.events.length >= 100);
  expect(idsOf(client)).toEqual(await allIds(lost));
}, 120_000);

nightly(
  "a client that reads nothing is cut, and the others do not wait for it",
  async () => {
    const limits = { ...defaultLimits, stream: { pingMs: 50, patienceMs: 300 } };
    await using own = await ApiScene.start({}, { redis, orchestrator: false, deps: { limits } });
    const { hostname, port } = new URL(own.url);
    const slow = await openSlow(hostname, Number(port), own.tokens.reader);
    await using quick = new EventClient(own, "?after=0");
    const text = "x".repeat(20_000);
    for (let count = 0; count < 500; count += 1)
      await own.clan.board.logEvent({ type: "cancel_requested", data: { text } }, "person:test");
    await waitFor("the quick one", () => quick.events.length === 500);
    await waitFor("the end of the slow one", async () => (await streamsOf(own)) === 1);
    slow.resume();
    let received = "";
    slow.on("data", (chunk) => {
      received += String(chunk);
    });
    await waitFor("the end of what it was sent", () =>
      received.includes(": too slow: nothing was read for 300 ms."),
    );
    slow.destroy();
    expect(received.length).toBeLessThan(500 * 20_000);
  },
  120_000,
);

async function openSlow(host: string, port: number, token: string): Promise<Socket> {
  const socket = connect(port, host);
  socket.write(
    `GET /v1/events?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

async function streamsOf({ metrics }: ApiScene): Promise<number> {
  return (await metrics.streams.get()).values[0]?.value ?? 0;
}
