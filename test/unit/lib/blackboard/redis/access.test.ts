// The rights of the users of Redis, as data.
import { expect, test } from "bun:test";
import { accessOf, aclRules } from "../../../../../lib/blackboard/redis/access.ts";
import type { RedisUser } from "../../../../../lib/blackboard/redis/users.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { agentName } from "../../../../support/records/sample.ts";

const demo = InstanceName.parse("demo");
const agent: RedisUser = { role: "agent", agent: agentName("coder") };
const users: RedisUser[] = [
  { role: "orchestrator" },
  { role: "gateway" },
  { role: "notary" },
  { role: "person" },
  agent,
];

/**
 * Commands that change Redis itself, its users or its functions, or read more than keys of one
 * instance.
 */
const administration = [
  ...[
    "acl",
    "config",
    "debug",
    "eval",
    "evalsha",
    "function",
    "keys",
    "module",
    "monitor",
    "script",
    "shutdown",
  ],
  ...[
    "bgrewriteaof",
    "bgsave",
    "client",
    "cluster",
    "failover",
    "flushall",
    "flushdb",
    "migrate",
    "psync",
    "replicaof",
  ],
  ...["restore", "save", "slaveof", "slowlog", "swapdb", "sync"],
];

/**
 * The orchestrator ends the connections of an agent that has too many, asks how much memory an
 * agent's mail takes and how far it goes, and ends its own waits. An agent asks whether its results
 * are written.
 */
const special: Partial<Record<string, string[]>> = {
  orchestrator: [
    "client|id",
    "client|kill",
    "client|list",
    "client|unblock",
    "memory|usage",
    "slowlog|get",
    "xinfo|stream",
  ],
  person: ["xinfo|stream"],
  agent: ["info|persistence"],
};

test.each(users)(
  "no user but the owner administers Redis, and none has a category of commands: %o",
  (user) => {
    const { commands, reads, writes, only } = accessOf(user, demo);
    const isForbidden = (command: string) =>
      administration.includes(command) || !/^[a-z_]+$/.test(command);
    expect(commands.filter(isForbidden)).toEqual(special[user.role] ?? []);
    expect(commands).not.toContain("del");
    expect(Object.keys(only).filter(isForbidden)).toEqual([]);
    for (const pattern of [...reads, ...writes, ...Object.values(only).flat()])
      expect(pattern).toMatch(/^sett:(?:demo:|probe$)/);
  },
);

test("an agent has no right to another's keys, the log or budgets, and writes only what is its own", () => {
  const { reads, writes, channels, only } = accessOf(agent, demo);
  const written = [...new Set(Object.values(only).flat())];
  const ofAgents = [...reads, ...written].filter((pattern) =>
    pattern.startsWith("sett:demo:agent:"),
  );
  expect(ofAgents.filter((pattern) => !pattern.startsWith("sett:demo:agent:coder:"))).toEqual([]);
  expect(written.filter((pattern) => !pattern.startsWith("sett:demo:agent:coder:"))).toEqual([
    "sett:demo:probe",
  ]);
  expect(
    reads.filter((pattern) => /budget|model_calls|:\*|events|orchestrator|agents/.test(pattern)),
  ).toEqual([]);
  expect(writes).toEqual([]);
  const ofAll = ["sett:demo:artefact_events", "sett:demo:claim_events", "sett:demo:claims"];
  expect(channels).toEqual([...ofAll, "sett:demo:agent:coder:in"]);
});

test("the rights are written as Redis reads them", () => {
  const rules = aclRules({
    commands: ["get"],
    reads: ["a"],
    writes: ["b"],
    channels: ["c"],
    only: { del: ["d", "e"] },
  });
  expect(rules).toEqual(["resetchannels", "%R~a", "~b", "&c", "+get", "(~d ~e +del)"]);
});
