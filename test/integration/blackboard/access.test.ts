// Shows what the users of Redis may send, compared with what their programs do send.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { accessOf, byHand } from "../../../lib/blackboard/redis/access.ts";
import { type RedisUser, userNameOf } from "../../../lib/blackboard/redis/users.ts";
import { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import { reserve, reserveOrder, runModelGrant } from "../../support/blackboard/model-scene.ts";
import { type PortMethod, portUses, type Role } from "../../support/blackboard/port-uses.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import { connectRoles } from "../../support/blackboard/role-bench.ts";
import { acquireLeaderLease, at, postGoal, user } from "../../support/blackboard/scene.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleAgent } from "../../support/records/sample.ts";
import {
  type CommandRecord,
  recordCommands,
  type Sent,
} from "../../support/redis/command-record.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { blackboardSuite } from "./suite.ts";

const any = InstanceName.parse("any");
const roles: Role[] = ["agent", "gateway", "notary", "orchestrator", "person"];
const uses = {
  agent: await portUses("agent"),
  gateway: await portUses("gateway"),
  notary: await portUses("notary"),
  orchestrator: await portUses("orchestrator"),
  person: await portUses("person"),
};

const server = await startRedisServer({ hasUsers: true });
const record: CommandRecord = await recordCommands(server);
afterAll(async () => {
  record[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

/** A bench may end all connections. */
async function cli(...words: string[]): Promise<string> {
  if (words[1] !== "KILL") return await server.cli(...words);
  const reply = await server.cli(...words);
  await record.restart();
  return reply;
}

/**
 * A call that the programs of several users make is made by each in turn, so that one suite has
 * what every one of them sends. What no program calls is the owner's.
 */
const turns = new Map<string, number>();
function callerOf(method: string): Role | undefined {
  const callers = roles.filter((role) => uses[role].has(method as PortMethod));
  const turn = turns.get(method) ?? 0;
  turns.set(method, turn + 1);
  return callers[turn % callers.length];
}

const openWith = (caller: typeof callerOf) => () =>
  openRedisBench({ url: record.url, cli }, (instance) => connectRoles(record, instance, caller));

blackboardSuite("the blackboard that users share", openWith(callerOf), {
  withLargest: false,
  rarely: nightly,
});

/** The first whose program makes the call. */
const open = openWith((method) => roles.find((role) => uses[role].has(method as PortMethod)));

test("an agent waits for a grant, which it does in the suite only by chance", async () => {
  await using bench = await open();
  const abort = new AbortController();
  const agent = AgentName.parse("waiter");
  const next = bench.board.followGrants(agent, abort.signal)[Symbol.asyncIterator]().next();
  const waits = async () =>
    (await record.read())
      .get(userNameOf({ role: "agent", agent }))
      ?.some(({ command }) => command === "blmpop");
  await waitFor("its wait", waits);
  abort.abort();
  await next;
});

test("a gateway gives back a call whose reservation has lapsed, which few tests of the suite let happen", async () => {
  await using bench = await open();
  const { token } = await runModelGrant(bench.board);
  await reserve(bench.board, reserveOrder(token, { leaseMs: 0 }));
  expect(await bench.board.giveBackCalls({ all: false })).toBe(1);
});

test("the orchestrator opens a mailbox again that its agent has closed, which few agents do", async () => {
  await using bench = await open();
  const agent = AgentName.parse("closer");
  const mailbox = `sett:${bench.board.instance}:agent:${agent}:out`;
  const largest = "18446744073709551615";
  await server.cli("XADD", mailbox, `${largest}-${largest}`, "id", "last", "text", "{");
  const epoch = await acquireLeaderLease(bench.board);
  await bench.board.registerAgents([sampleAgent(agent)], user, { exact: true });
  const goal = await postGoal(bench.board);
  await bench.board.pauseGoal({ goal: goal.goal_id, paused: true, by: user, at, epoch });
  const pausedGoals = `sett:${bench.board.instance}:goals:paused`;
  expect(await server.cli("HGET", pausedGoals, goal.goal_id)).toContain(`{"closer":"${largest}-`);
  expect(await bench.board.reopenMail(epoch, [agent])).toEqual({ outcome: "done", reopened: [] });
  await server.cli("XTRIM", mailbox, "MAXLEN", "0");
  expect(await bench.board.reopenMail(epoch, [agent])).toEqual({
    outcome: "done",
    reopened: [agent],
  });
  // What it says from now on comes after the pause.
  expect(await server.cli("HGET", pausedGoals, goal.goal_id)).toContain('"mail":{}');
  expect([...(await bench.board.readPausedGoals()).keys()]).toEqual([goal.goal_id]);
  await bench.board.sendMail(agent, { id: "next", text: "{" });
});

test("a person reads how full Redis is, which the suite asks once", async () => {
  await using bench = await openWith((method) =>
    uses.person.has(method as PortMethod) ? "person" : undefined,
  )();
  expect((await bench.board.readMemory()).usedBytes).toBeGreaterThan(0);
});

describe("after these calls", () => {
  const sent = new Map<Role, Sent[]>();
  beforeAll(async () => {
    for (const [name, commands] of await record.read()) {
      const role = roles.find((each) => name === each || name.startsWith(`${each}-`));
      if (role !== undefined)
        sent.set(role, [...(sent.get(role) ?? []), ...commands.map((one) => asAny(one, name))]);
    }
  });

  test("Redis has refused nothing that a program sends", async () => {
    expect(await server.cli("ACL", "LOG")).toBe("");
  });

  test.each(roles)("the %s has no right to a command that its program never sends", (role) => {
    const { commands, only } = accessOf(userOf(role), any);
    const used = new Set(
      (sent.get(role) ?? []).flatMap(({ command, words: [first = ""] }) => [
        command,
        `${command}|${first.toLowerCase()}`,
      ]),
    );
    const unsent = role === "agent" ? [...unrecorded, ...byHand] : unrecorded;
    const recorded = commands.filter((command) => !unsent.includes(command));
    expect([...recorded, ...Object.keys(only)].filter((command) => !used.has(command))).toEqual([]);
  });

  test.each(roles)(
    "the %s has no right to a key that its program never touches, and to write none that it only reads",
    (role) => {
      const { reads, writes, only } = accessOf(userOf(role), any);
      const all = sent.get(role) ?? [];
      const touched = new Set(all.flatMap(({ words }) => words));
      const written = new Set(
        all.filter(({ command }) => writing.test(command)).flatMap(({ words }) => words),
      );
      expect(reads.filter((pattern) => !hasOne(touched, pattern))).toEqual([]);
      expect(writes.filter((pattern) => !hasOne(written, pattern))).toEqual([]);
      for (const [command, patterns] of Object.entries(only)) {
        const about = new Set(
          all.filter((one) => one.command === command).flatMap(({ words }) => words),
        );
        expect([command, ...patterns.filter((pattern) => !hasOne(about, pattern))]).toEqual([
          command,
        ]);
      }
    },
  );
});

/**
 * MONITOR leaves out what is for administration. connections.test.ts sends these with the
 * orchestrator's own rights.
 */
const unrecorded = ["client|id", "client|kill", "client|list", "client|unblock", "slowlog|get"];

/** Also a key that a call of a function names. */
const writing =
  /^(?:fcall|set|del|unlink|h(?:set|setnx|del|incrby)|z(?:add|rem)|x(?:add|del)|[lr]push|lrem|lpop|blmpop)$/;

function userOf(role: Role): RedisUser {
  return role === "agent" ? { role, agent: AgentName.parse("any") } : { role };
}

/** Every bench is an instance of its own, and there are several agents. */
function asAny({ command, words }: Sent, user: string): Sent {
  const agent = user.replace(/^agent-/, "");
  const inAny = (word: string) =>
    word.replace(/^sett:t-[0-9a-f]{8}:/, "sett:any:").replace(`:agent:${agent}:`, ":agent:any:");
  return { command, words: words.map(inAny) };
}

function hasOne(words: ReadonlySet<string>, pattern: string): boolean {
  const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
  return [...words].some((word) => expression.test(word));
}
