// Shows what happens when Redis is there and refuses writes.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import {
  recordOf,
  reserve,
  reserveOrder,
  runModelGrant,
} from "../../support/blackboard/model-scene.ts";
import { queueGrant, runGrant, user } from "../../support/blackboard/scene.ts";
import { isNight } from "../../support/nightly.ts";
import { agentName, sampleArtefact } from "../../support/records/sample.ts";
import { startRedisProxy } from "../../support/redis/redis-proxy.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { writeRefusals } from "../../support/redis/write-refusals.ts";
import { root } from "../../support/root.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("demo");

test("what was acknowledged is not written while the file cannot grow, and is when it can", async () => {
  await using server = await startRedisServer();
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  await board.createArtefact(sampleArtefact(), user);
  await waitFor("it to be written", () => board.hasWritten());
  const pid = /^process_id:(\d+)/m.exec(await server.cli("INFO", "server"))?.[1] ?? "";
  const limit = async (bytes: string) => await $`prlimit --pid ${pid} --fsize=${bytes}`.quiet();
  await limit("1:unlimited");
  // Acknowledged before Redis has noticed.
  await board.createArtefact(sampleArtefact(), user);
  expect(await board.hasWritten()).toBe(false);
  await limit("unlimited");
  await waitFor("it to be written", () => board.hasWritten());
});

const refusals = Object.entries(writeRefusals).slice(0, isNight ? undefined : 1);

describe.each(refusals)("while Redis answers %s", (_name, refusal) => {
  test("writes wait, what is stored can be read, and all goes on when it heals", async () => {
    await using server = await startRedisServer();
    await using board = await connectBlackboard({
      url: server.url,
      instance,
      timeoutMs: 20_000,
      giveUpMs: 100,
    });
    const goal = sampleArtefact();
    await board.createArtefact(goal, user);
    const stop = new AbortController();
    const woken: string[] = [];
    const following = (async () => {
      for await (const batch of board.followGrants(agentName("coder"), stop.signal))
        woken.push(...batch);
    })();
    let reconnects = 0;
    board.onReconnect(() => {
      reconnects += 1;
    });

    await refusal.begin(server);
    await waitFor(
      "the refusal to be noticed although no call writes",
      () => board.contactProblem() !== undefined,
    );
    expect(board.contactProblem()).toStartWith(refusal.says);
    expect(board.contactSince()).toBeUndefined();
    const more = sampleArtefact();
    const writing = board.createArtefact(more, user);
    expect((await board.readArtefact(goal.id))?.payload).toBe(goal.payload);
    expect(await board.readContext(goal, [])).toEqual({ chain: [], additional: [] });
    expect(await board.listDue(10)).toEqual([]);

    const healed = performance.now();
    await refusal.end(server);
    expect(await writing).toEqual({ outcome: "created" });
    await waitFor("contact", () => board.contactProblem() === undefined);
    expect(board.contactSince()).toBeGreaterThanOrEqual(healed);
    expect(reconnects).toBe(1);
    const { claim } = await queueGrant(board);
    await waitFor("the grant", () => woken.includes(claim.id));
    stop.abort();
    await following;
  });

  test("a write that has waited too long says why, as if Redis were away", async () => {
    await using server = await startRedisServer();
    await refusal.begin(server);
    // There is contact enough to read, also for a new connection.
    await using board = await connectBlackboard({ url: server.url, instance, timeoutMs: 10_000 });
    expect(await board.listGoals()).toEqual([]);
    const error = await board
      .createArtefact(sampleArtefact(), user)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "redis-unreachable",
      message: expect.stringContaining(refusal.says),
    });
    await refusal.end(server);
  });
});

test("a server that became a replica and keeps its connections is left for the one behind its address", async () => {
  await using first = await startRedisServer();
  await using second = await startRedisServer();
  await using address = await startRedisProxy(first.url);
  await using board = await connectBlackboard({ url: address.url, instance, ...patient });
  const stop = new AbortController();
  const grants = board.followGrants(agentName("coder"), stop.signal)[Symbol.asyncIterator]();
  const woken = grants.next();
  await writeRefusals.READONLY.begin(first);
  await waitFor("the refusal to be noticed", () => board.contactProblem() !== undefined);
  address.moveTo(second.url, { keeps: true });
  await waitFor("contact", () => board.contactProblem() === undefined);
  const { claim } = await queueGrant(board);
  expect(await second.cli("EXISTS", `sett:demo:claim:${claim.id}`)).toBe("1");
  expect((await woken).value).toContain(claim.id);
  stop.abort();
});

test("a full memory takes no lease from an agent at work", async () => {
  await using server = await startRedisServer();
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  const { claim, agent } = await runGrant(board);
  await writeRefusals.OOM.begin(server);
  expect(await board.renewLease({ claim: claim.id, agent, attempt: 1, leaseMs: 60_000 })).toEqual({
    outcome: "renewed",
  });
});

test("while the memory is full, calls of models under way end and are counted, and no new one is made", async () => {
  await using server = await startRedisServer();
  await using board = await connectBlackboard({ url: server.url, instance, timeoutMs: 5_000 });
  const { goal, token } = await runModelGrant(board);
  const calls = [
    await reserve(board, reserveOrder(token)),
    await reserve(board, reserveOrder(token)),
  ] as const;
  await writeRefusals.OOM.begin(server);
  expect(await board.renewCalls({ calls, leaseMs: 60_000 })).toEqual({ ended: [] });
  expect(await board.endCall(recordOf(calls[0]))).toEqual({ outcome: "ended" });
  expect(await board.findCaller(token)).toMatchObject({ outcome: "found" });
  const error = await board.reserveCall(reserveOrder(token)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "redis-unreachable" });
  expect(await board.readSpending(goal.goal_id)).toMatchObject({
    spent: recordOf(calls[0]).cost,
    reserved: calls[1].reserved,
  });
});

test("a script's own refusal is final", async () => {
  await using server = await startRedisServer();
  await using board = await connectBlackboard({ url: server.url, instance, timeoutMs: 60_000 });
  await server.cli("SET", "sett:demo:events", "a user's own");
  const error = await board
    .createArtefact(sampleArtefact(), user)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "blackboard-refused",
    message: expect.stringContaining("WRONGTYPE"),
  });
  expect(board.contactProblem()).toBeUndefined();
});

test("every script that says it changes nothing is let through while Redis refuses writes", async () => {
  const folder = join(root, "lib/blackboard/redis/lua");
  const reading = readdirSync(folder).filter((file) =>
    readFileSync(join(folder, file), "utf8").replaceAll("\n-- ", " ").includes("Changes nothing."),
  );
  const asFunction = (file: string) =>
    file.replace(/\.lua$/, "").replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase());
  await using server = await startRedisServer();
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  await board.createArtefact(sampleArtefact(), user);
  const listed = JSON.parse(await server.cli("--json", "FUNCTION", "LIST"));
  const functions: { name: string; flags: string[] }[] = listed[0].functions;
  const harmless = functions
    .filter(({ flags }) => flags.includes("no-writes"))
    .map(({ name }) => name.replace(/^.*_/, ""));
  expect(harmless.sort()).toEqual(reading.map(asFunction).sort());
});
