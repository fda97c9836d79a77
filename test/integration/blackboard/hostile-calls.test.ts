// Functions that an agent may call, with numbers that no program of ours sends: Redis must not work
// for long, nor the mail of others stop.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Mail } from "../../../lib/blackboard/port/mail-port.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { at, postGoal, queueGrant, running, user } from "../../support/blackboard/scene.ts";
import { agentName, sampleAgent } from "../../support/records/sample.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";

const instance = InstanceName.parse("hostile");
const prefix = `sett:${instance}:`;
let [server, board, library]: [RedisServer, Blackboard, string] = [
  undefined as never,
  undefined as never,
  "",
];

beforeAll(async () => {
  server = await startRedisServer();
  board = await connectBlackboard({ url: server.url, instance, ...patient });
  await board.registerAgents([sampleAgent("hostile"), sampleAgent("coder")], user, { exact: true });
  library = /sett_[0-9a-f]{12}/.exec(await server.cli("FUNCTION", "LIST"))?.[0] ?? "";
});

afterAll(async () => {
  await board[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function call(name: string, ...words: string[]): Promise<string> {
  return server.cli(
    "FCALL_RO",
    `${library}_${name}`,
    "1",
    `${prefix}probe`,
    prefix,
    "nonce",
    ...words,
  );
}

test.each(["1e300", "inf", "nan", "-1", "2", "x"])(
  "a list of %s members, which the call does not have, is refused at once",
  async (length) => {
    for (const words of [[length, "id"], [length]])
      expect(await call("readHeads", ...words)).toContain("A list is longer than its call.");
    expect(await call("readContext", "target", "1", "1", "0", length)).toContain(
      "A list is longer than its call.",
    );
  },
);

test("a call that is shorter than its records is refused", async () => {
  const calls = await server.cli(
    "FCALL",
    `${library}_renewCalls`,
    "2",
    `${prefix}probe`,
    "open",
    prefix,
    "nonce",
    "3",
    "id",
    "goal",
    "1",
  );
  expect(calls).toContain("The call ends too early.");
});

test("too many artefacts at once are refused", async () => {
  const { id } = await postGoal(board);
  const many = (count: number) => Array.from({ length: count }, () => String(id));
  expect(await call("readHeads", "501", ...many(501))).toContain("too many artefacts");
  expect(await call("readHeads", "2", ...many(2))).toContain("One artefact is named twice.");
  expect(await call("readContext", id, "1", "1", "0", "1001", ...many(1_001))).toBe("apart");
  expect(await board.readHeads([id, id])).toHaveLength(2);
});

test("an agent that chooses the ids of its messages cannot have started before a pause what it starts in it", async () => {
  const { claim, epoch, agent } = await queueGrant(board);
  const out = `${prefix}agent:${agent}:out`;
  const say = (place: string) => server.cli("XADD", out, place, "id", "start", "text", "{}");
  const accept = (place: string) =>
    board.acceptGrant({
      claim: claim.id,
      grant: running(agent),
      leaseMs: 60_000,
      mail: { place, id: "start", isQuiet: true },
    });
  const largest = "18446744073709551614";
  for (const place of ["5-9", `5-${largest}`]) await say(place);
  const pause = (paused: boolean) => board.setPaused({ paused, by: user, at, epoch });
  await pause(true);
  // Its notes are its own, too, and say what it likes.
  await server.cli("HSET", `${prefix}agent:${agent}:taken`, claim.id, `1 ${at} 5-9 `);
  for (const place of ["5-8", `5-${largest}`])
    expect(await say(place)).toContain("equal or smaller");
  for (const place of ["5-18446744073709551615", "6-0", "10-0"]) {
    expect((await say(place)).trim()).toBe(place);
    expect(await accept(place)).toEqual({ outcome: "refused", reason: "The instance is paused." });
  }
  expect(await accept(`5-${largest}`)).toEqual({ outcome: "accepted" });
  await pause(false);
  await server.cli("DEL", out);
});

test("a message under the last id that a stream can have is read, and those of others after it", async () => {
  const out = `${prefix}agent:hostile:out`;
  await server.cli("XADD", out, "1-1", "id", "first", "text", "{}");
  await server.cli(
    "XADD",
    out,
    "18446744073709551615-18446744073709551615",
    "id",
    "last",
    "text",
    "{}",
  );
  const stop = new AbortController();
  const seen: Mail[] = [];
  let isSent = false;
  for await (const mails of board.followMail(stop.signal, () => false)) {
    seen.push(...mails);
    if (!isSent) await board.sendMail(agentName("coder"), { id: "honest", text: "{}" });
    isSent = true;
    if (seen.length >= 3) stop.abort();
  }
  expect(seen.map(({ id }) => id)).toEqual(["first", "last", "honest"]);
});
