// The mail of many agents, most of which say nothing.
import { afterAll, expect, test } from "bun:test";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { type AgentName, InstanceName } from "../../../lib/model/ids.ts";
import { user } from "../../support/blackboard/scene.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName, sampleAgent } from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());

const names = Array.from({ length: 100 }, (_, index) => agentName(`agent-${index}`));

async function createScene(name: string) {
  const board = await connectBlackboard({
    url: server.url,
    instance: InstanceName.parse(name),
    ...patient,
  });
  await board.registerAgents(
    names.map((one) => sampleAgent(one)),
    user,
    { exact: true },
  );
  const stop = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const mails of board.followMail(stop.signal, () => false))
      for (const { agent, id } of mails) seen.push(`${agent} ${id}`);
  })();
  let sent = 0;
  const send = async (agent: AgentName) => {
    sent += 1;
    const id = String(sent);
    await board.sendMail(agent, { id, text: "{}" });
    return `${agent} ${id}`;
  };
  return {
    seen,
    send,
    has: (count: number) =>
      waitFor(`${count} messages`, () => seen.length >= count, { everyMs: 1 }),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await following;
      await board[Symbol.asyncDispose]();
    },
  };
}

nightly("each message comes once, and those of one agent in their order", async () => {
  await using scene = await createScene("each-once");
  const all: string[] = [];
  // Some of them often, each of them at some time, so that they take turns in who was the last to
  // send.
  for (let round = 0; round < 300; round++) {
    const agents = [names[round % 100], names[(round * 7) % 30], names[round % 3]].filter(
      (name) => name !== undefined,
    );
    all.push(...(await Promise.all(agents.map(scene.send))));
    if (round % 10 === 0) await scene.has(all.length);
  }
  await scene.has(all.length);
  const of = (texts: readonly string[], agent: string) =>
    texts.filter((text) => text.startsWith(`${agent} `));
  for (const name of names) expect(of(scene.seen, name)).toEqual(of(all, name).toSorted(byNumber));
  expect(scene.seen).toHaveLength(all.length);
});

test("an agent that has sent something is waited for without all the others", async () => {
  await using scene = await createScene("brisk");
  const [last] = names.slice(-1);
  if (last === undefined) throw new Error("There is no agent.");
  await server.cli("CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "10000");
  for (let count = 1; count <= 5; count++) {
    await scene.send(last);
    await scene.has(count);
  }
  await server.cli("SLOWLOG", "RESET");
  for (let count = 6; count <= 25; count++) {
    await scene.send(last);
    await scene.has(count);
  }
  const log = await server.cli("SLOWLOG", "GET", "-1");
  const reads = [...log.matchAll(/^XREAD$[\s\S]*?(?=^127)/gm)].map(([read]) =>
    Number(/\((\d+) more arguments\)/.exec(read)?.[1] ?? 0),
  );
  expect(reads.length).toBeGreaterThan(15);
  // The log shows 31 words of a command.
  for (const more of reads) expect(more).toBeLessThan(2 * 21);
});

const byNumber = (one: string, other: string) =>
  Number(one.split(" ")[1]) - Number(other.split(" ")[1]);
