// A log and announcements with entries that no program can read or handle.
import { expect, setDefaultTimeout, test } from "bun:test";
import { Orchestrator } from "../../../apps/orchestrator/orchestrator.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import { blackboardInMemory } from "../../support/blackboard/in-memory.ts";
import { nightly } from "../../support/nightly.ts";
import { startService } from "../../support/process/service-process.ts";
import { sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { orchestratorDeps } from "../../support/world/deps.ts";

const instance = InstanceName.parse("test");
setDefaultTimeout(600_000);
const patience = { everyMs: 20 };

/** One agent is registered, so that claims wait for its bid. */
async function createWorld() {
  const redis = await startRedisServer();
  const board = await connectBlackboard({ url: redis.url, instance, ...patient });
  await board.registerAgents([sampleAgent("coder")], "person:test", { exact: true });
  const service = startService("orchestrator", {
    SETT_INSTANCE_NAME: instance,
    REDIS_URL: redis.url,
    SETT_HEALTH_PORT: "0",
    SETT_NOTIFY:
      '[{"url":"http://127.0.0.1:1","secret":"0123456789abcdef","on":["question"],"remind_every_ms":3600000}]',
  });
  const claimOf = async ({ id }: Artefact) => (await board.claimsOfArtefact(id)).get("standard");
  return {
    redis,
    board,
    service,
    key: (name: string) => `sett:${instance}:${name}`,
    /** Its id. */
    writeEvent: (...words: string[]) => redis.cli("XADD", `sett:${instance}:events`, "*", ...words),
    claimed: async () => {
      const goal = sampleArtefact();
      await board.createArtefact(goal, "person:test");
      return await waitFor("the claim", () => claimOf(goal), patience);
    },
    /** Everything up to here is done with. */
    isPast: (event: string) =>
      waitFor(
        "the cursor",
        async () => !isLater(event, (await board.readLeader())?.cursor ?? "0"),
        patience,
      ),
    events: async (type: SettEvent["type"]) =>
      (await board.readEvents("0", 1_000)).filter((event) => event.type === type),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await board[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

test("an unreadable entry is reported once and passed over, by the orchestrator and by its notifier", async () => {
  await using world = await createWorld();
  const { board, service } = world;
  await world.claimed();
  const unreadable = [
    await world.writeEvent("type", "claim_dreamt", "event", '{"actor":"hand"}'),
    await world.writeEvent("type", "grant_done", "event", "{"),
    await world.writeEvent("hello", "there"),
  ];
  await world.claimed();
  const last = await world.writeEvent("type", "grant_done", "event", "no more than this");
  await world.isPast(last);
  await waitFor(
    "the notifier",
    async () => !isLater(last, (await board.readNoticeCursor()) ?? "0"),
    patience,
  );
  const skipped = service.log().filter(({ msg }) => msg === "Skipped what cannot be read");
  expect(skipped.map(({ what }) => String(what).split(" ")[1])).toEqual([...unreadable, last]);
  expect((await board.readLeader())?.epoch).toBe(1);
});

test("an event that can never be handled is given up after some tries, on record, and the events after it are handled", async () => {
  await using world = await createWorld();
  const broken = crypto.randomUUID();
  await world.redis.cli("HSET", world.key(`claim:${broken}`), "id", broken);
  const id = await world.writeEvent(
    "type",
    "grant_done",
    "event",
    JSON.stringify({ actor: "hand", claim_id: broken }),
  );
  await world.claimed();
  const [abandoned] = await waitFor(
    "it to be given up",
    async () => {
      const found = await world.events("event_given_up");
      return found.length > 0 && found;
    },
    patience,
  );
  expect(abandoned).toMatchObject({
    actor: "orchestrator:1",
    claim_id: broken,
    data: { event: id, type: "grant_done", tries: 8 },
  });
  expect(String(abandoned?.data?.reason)).toContain(`claim:${broken} is malformed`);
  await world.isPast(abandoned?.id ?? "");
  await world.claimed();
  expect(await world.events("event_given_up")).toHaveLength(1);
});

nightly("health is the age of the oldest event that is not done with", async () => {
  let laterMs = 0;
  const clock = { ...systemClock, passedMs: () => performance.now() + laterMs };
  const memory = blackboardInMemory({ instance });
  const own = await memory.open();
  const stuck = new Promise<never>(() => {});
  const orchestrator = new Orchestrator(
    orchestratorDeps({ board: { ...own, openClaim: () => stuck }, clock }),
  );
  const stop = new AbortController();
  const running = orchestrator.run(stop.signal);
  await waitFor("it to lead", () => orchestrator.health().ok);
  await own.createArtefact(sampleArtefact(), "person:test");
  const leading = () =>
    (orchestrator.state as { leading?: { oldest?: { type: string; ageMs: number } } }).leading;
  await waitFor("the event to be looked at", () => leading()?.oldest?.type === "artefact_created");
  expect(orchestrator.health()).toEqual({ ok: true });
  laterMs = 40_000;
  // The loops must have turned since.
  const ill = await waitFor("it to be said", () => {
    const health = orchestrator.health();
    return !health.ok && health.reason.startsWith("The event") && health;
  });
  expect(ill.reason).toMatch(
    /^The event \d+-\d+ \(artefact_created\) has waited \d{5,} ms to be handled\.$/,
  );
  stop.abort();
  await running;
});

nightly("a loop that fails again and again is unhealthy, until it goes on", async () => {
  let [laterMs, failures, isBroken] = [0, 0, true];
  const clock = { ...systemClock, passedMs: () => performance.now() + laterMs };
  const own = await blackboardInMemory({ instance }).open();
  const followMail: typeof own.followMail = (...how) => {
    failures += 1;
    if (isBroken) throw new TypeError("a mistake of ours");
    return own.followMail(...how);
  };
  const orchestrator = new Orchestrator(orchestratorDeps({ board: { ...own, followMail }, clock }));
  const stop = new AbortController();
  const running = orchestrator.run(stop.signal);
  const leading = () =>
    (orchestrator.state as { leading?: { failing?: { forMs: number } } }).leading;
  await waitFor("the failure", () => leading()?.failing !== undefined);
  expect(orchestrator.health()).toEqual({ ok: true });
  for (let before = failures; failures < 5; before = failures) {
    laterMs += 9_000;
    await waitFor("the next", () => failures > before);
  }
  const ill = await waitFor("it to be said", () => {
    const health = orchestrator.health();
    return !health.ok && health.reason.startsWith("A loop") && health;
  });
  expect(ill.reason).toMatch(/^A loop has failed for \d{5,} ms: a mistake of ours$/);
  isBroken = false;
  const before = failures;
  await waitFor("it to go on", () => failures > before);
  laterMs += 20_000;
  await waitFor("health", () => orchestrator.health().ok);
  stop.abort();
  await running;
});
