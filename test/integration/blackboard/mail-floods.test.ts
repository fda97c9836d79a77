// Mail that is more than one answer of Redis may bring, with the limits that `sett up` gives it.
import { expect, setDefaultTimeout, test } from "bun:test";
import { createClient } from "redis";
import { connectionSettings } from "../../../apps/cli/services/redis-settings.ts";
import type { Mail } from "../../../lib/blackboard/port/mail-port.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { AgentStatus } from "../../../lib/model/agent.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { user } from "../../support/blackboard/scene.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName, sampleAgent } from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { unhurried } from "../../support/redis/unhurried.ts";
import { waitFor } from "../../support/wait-for.ts";

/** Hundreds of megabytes go through Redis. */
setDefaultTimeout(600_000);

const instance = InstanceName.parse("demo");
const [hostile, coder] = [agentName("hostile"), agentName("coder")];
const mebibyte = 1024 ** 2;
const long = "x".repeat(60 * mebibyte);

/** Half as much as `long` twice. */
const memory = ["maxmemory 768mb", "maxmemory-clients 96mb"];

async function createScene() {
  const server = await startRedisServer({ settings: [...connectionSettings, ...memory] });
  const board = await connectBlackboard({ url: server.url, instance, ...patient });
  await board.registerAgents([sampleAgent("hostile"), sampleAgent("coder")], user, { exact: true });
  const client = createClient({ ...unhurried, url: server.url });
  client.on("error", () => undefined);
  await client.connect();
  return {
    board,
    evicted: async () =>
      Number(/evicted_clients:(\d+)/.exec(await server.cli("INFO", "stats"))?.[1]),
    set: (key: string, text: string) => client.set(key, text),
    send: (fields: Record<string, string>) =>
      client.xAdd(`sett:${instance}:agent:${hostile}:out`, "*", fields),
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await board[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const brief = ({ agent, id, text }: Mail) => `${agent} ${id} ${text.length}`;

nightly(
  "an agent that has sent very much keeps no other agent's mail from being read, and its own is read whole",
  async () => {
    await using scene = await createScene();
    for (const id of ["1", "2", "3"]) await scene.send({ id, text: long });
    await scene.board.sendMail(coder, { id: "4", text: "short" });
    const ended = new AbortController();
    const found: string[] = [];
    for await (const mails of scene.board.followMail(ended.signal, () => false)) {
      found.push(...mails.map(brief));
      if (found.length === 4) ended.abort();
    }
    const size = String(long.length);
    expect(found.toSorted()).toEqual([
      "coder 4 5",
      `hostile 1 ${size}`,
      `hostile 2 ${size}`,
      `hostile 3 ${size}`,
    ]);
    expect(await scene.evicted()).toBe(0);
  },
);

nightly(
  "what an agent has sent while it was busy is read in pieces, when it is no longer",
  async () => {
    await using scene = await createScene();
    const ended = new AbortController();
    const found: string[] = [];
    let isBusy = true;
    const following = (async () => {
      for await (const mails of scene.board.followMail(
        ended.signal,
        (agent) => agent === hostile && isBusy,
      )) {
        found.push(...mails.map(brief));
        if (found[0] !== undefined) isBusy = false;
        if (found.length === 4) ended.abort();
      }
    })();
    for (const id of ["1", "2", "3"]) await scene.send({ id, text: long });
    await scene.board.sendMail(coder, { id: "4", text: "short" });
    await following;
    expect(found.map((one) => one.slice(0, 9))).toEqual([
      "coder 4 5",
      "hostile 1",
      "hostile 2",
      "hostile 3",
    ]);
    expect(await scene.evicted()).toBe(0);
  },
);

nightly(
  "a message of several long values comes without its text, and a long id is cut",
  async () => {
    await using scene = await createScene();
    const part = long.slice(0, 22 * mebibyte);
    await scene.send({ id: "i".repeat(1_000), one: part, two: part, text: part });
    await scene.board.sendMail(hostile, { id: "next", text: "short" });
    const ended = new AbortController();
    const found: string[] = [];
    for await (const mails of scene.board.followMail(ended.signal, () => false)) {
      found.push(...mails.map(brief));
      if (found.length === 2) ended.abort();
    }
    expect(found).toEqual([`hostile ${"i".repeat(100)} 0`, "hostile next 5"]);
  },
);

test("a heartbeat of 64 MiB counts as mail of its agent, and is dropped, as is what agents write to the key of the probe", async () => {
  await using scene = await createScene();
  const heartbeat = `sett:${instance}:agent:${hostile}:status`;
  const honest = { at: Date.now(), state: "idle" as const };
  await scene.board.reportStatus(coder, AgentStatus.parse(honest));
  expect(await scene.board.dropMail(700 * mebibyte)).toEqual([]);
  const before = (await scene.board.readMemory()).usedBytes;
  await scene.set(heartbeat, long);
  await scene.set(`sett:${instance}:probe`, long);
  const [dropped, ...others] = await scene.board.dropMail(700 * mebibyte);
  expect(dropped).toMatchObject({ agent: hostile, messages: 0 });
  expect(dropped?.bytes).toBeGreaterThan(60 * mebibyte);
  expect(others).toEqual([]);
  expect((await scene.board.listStatuses()).has(coder)).toBe(true);
  await waitFor(
    "the memory to be free",
    async () => (await scene.board.readMemory()).usedBytes < before + 10 * mebibyte,
  );
});
