// The rights of each user of Redis: which commands, about which keys and channels. Redis applies
// this to every command, also to those that a function runs for its caller.
// test/integration/blackboard/access.test.ts compares it with what is really sent.
import type {
  AgentName,
  ArtefactId,
  ClaimId,
  GoalId,
  InstanceName,
  LogicalId,
} from "../../model/ids.ts";
import type { PeriodId } from "../../model/spending.ts";
import { type Keys, keysOf } from "../records/keys.ts";
import type { RedisUser } from "./users.ts";

export type Access = {
  commands: readonly string[];
  /** Patterns of keys. */
  reads: readonly string[];
  /** To be read, too: a function needs both rights for each key that its call names. */
  writes: readonly string[];
  channels: readonly string[];
  /** Command → patterns of the keys about which it may send this command, and about no other. */
  only: Readonly<Record<string, readonly string[]>>;
};

export function accessOf(user: RedisUser, instance: InstanceName): Access {
  const keys = keysOf(instance);
  if (user.role === "agent") return agentAccess(keys, user.agent);
  const access = accessOfRole[user.role](keys);
  return { ...access, writes: [keys.probe, ...access.writes] };
}

/**
 * The words that follow `ACL SETUSER name`, for a user who has no rights yet. Where
 * `acl-pubsub-default` says so, such a user hears all channels, and Redis then takes no others.
 */
export function aclRules({ commands, reads, writes, channels, only }: Access): string[] {
  return [
    "resetchannels",
    ...reads.map((pattern) => `%R~${pattern}`),
    ...writes.map((pattern) => `~${pattern}`),
    ...channels.map((pattern) => `&${pattern}`),
    ...commands.map((command) => `+${command}`),
    ...Object.entries(only).map(
      ([command, patterns]) =>
        `(${patterns.map((pattern) => `~${pattern}`).join(" ")} +${command})`,
    ),
  ];
}

/**
 * The rights of the one who prepares a Redis of others for an instance, as words of `ACL SETUSER`:
 * looks at it, loads functions, notes whose the blackboard is, and removes it. Who also makes the
 * instance's users needs `+acl` beside them.
 */
export function preparingRules(instance: InstanceName): string[] {
  const commands = [
    ...["function|delete", "function|list", "function|load", "info"],
    ...["exists", "get", "scan", "set", "unlink"],
  ];
  return [`~${keysOf(instance).prefix}*`, ...commands.map((command) => `+${command}`)];
}

/** As long as a UUID, so that no key is meant that has more behind the id. */
const anyId = "????????-????-????-????-????????????";
const [anyClaim, anyGoal, anyArtefact] = [anyId as ClaimId, anyId as GoalId, anyId as ArtefactId];
const anyAgent = "*" as AgentName;
const anyPeriod = "*" as PeriodId;

const accessOfRole: Record<Exclude<RedisUser["role"], "agent">, (keys: Keys) => Access> = {
  orchestrator: (keys) => ({
    commands: [
      ...[
        "client|id",
        "client|kill",
        "client|list",
        "client|unblock",
        "fcall",
        "fcall_ro",
        "info",
        "memory|usage",
        "publish",
        "set",
        "slowlog|get",
        "subscribe",
        "time",
        "type",
      ],
      ...[
        "exists",
        "expire",
        "hdel",
        "hexists",
        "hget",
        "hgetall",
        "hincrby",
        "hkeys",
        "hlen",
        "hmget",
        "hset",
        "hsetnx",
        "hstrlen",
        "hvals",
        "getrange",
        "incrby",
      ],
      ...["blmpop", "lpop", "rpush"],
      ...["xadd", "xdel", "xrange", "xinfo|stream", "xread", "xrevrange", "xtrim"],
      ...["zadd", "zcard", "zmscore", "zrange", "zrangebyscore", "zrem", "zscore"],
    ],
    reads: [],
    writes: [`${keys.prefix}*`],
    channels: [keys.artefactChannel, keys.claimChannel, keys.announcements, keys.mailIn(anyAgent)],
    only: {
      del: [keys.laterBids(anyClaim), keys.paused, keys.pausedMail],
      unlink: [
        keys.agentTaken(anyAgent),
        keys.agentStatus(anyAgent),
        keys.mailOut(anyAgent),
        keys.refusedArtefacts,
        keys.probe,
      ],
    },
  }),
  gateway: (keys) => ({
    commands: [
      ...["fcall", "fcall_ro", "set", "time", "type"],
      ...["exists", "expire", "hdel", "hexists", "hget", "hgetall", "hincrby", "hmget", "hset"],
      ...["hsetnx", "xadd", "zadd", "zrangebyscore", "zrem", "zscore"],
    ],
    reads: [
      keys.claim(anyClaim),
      keys.laterBids(anyClaim),
      keys.bidTokens(anyClaim),
      keys.grants(anyClaim),
      keys.goal(anyGoal),
      keys.artefactsOfGoal(anyGoal),
    ],
    writes: [
      ...[keys.events, keys.gateway, keys.openModelCalls, keys.holds, keys.spending(anyPeriod)],
      ...[keys.modelCalls(anyGoal), keys.goalBudget(anyGoal), keys.claimBudget(anyClaim)],
      ...[keys.askedCalls(anyGoal), keys.toolCharges(anyGoal)],
    ],
    channels: [],
    only: {},
  }),
  notary: (keys) => ({
    commands: ["fcall", "hget", "hmget", "hset", "set", "time", "xrange"],
    reads: [keys.events],
    writes: [keys.proof],
    channels: [],
    only: {},
  }),
  person: (keys) => ({
    commands: [
      ...["fcall", "fcall_ro", "info", "publish", "set", "time", "type", "unlink"],
      ...[
        "exists",
        "expire",
        "get",
        "hdel",
        "hexists",
        "hget",
        "hgetall",
        "hincrby",
        "hkeys",
        "hmget",
        "hscan",
        "hset",
        "hsetnx",
        "hstrlen",
        "incrby",
      ],
      ...[
        "hvals",
        "getrange",
        "xadd",
        "xdel",
        "xinfo|stream",
        "xlen",
        "xrange",
        "xread",
        "xrevrange",
      ],
      ...["zadd", "zcard", "zrange", "zrangebyscore", "zrem", "zscore"],
    ],
    reads: [],
    writes: [`${keys.prefix}*`],
    channels: [keys.artefactChannel, keys.claimChannel],
    only: { del: [keys.expectedAgents] },
  }),
};

/** No cub leaves a channel; an external agent may. */
export const byHand: readonly string[] = ["unsubscribe"];

/**
 * An agent's words go by mail, into its own stream: by-mail.ts. Its wake-ups are its own to take.
 */
function agentAccess(keys: Keys, agent: AgentName): Access {
  return {
    commands: [
      ...["fcall_ro", "info|persistence"],
      ...["get", "hexists", "hget", "hgetall", "hmget", "hstrlen", "hvals", "zrange"],
      ...["subscribe", "xrange", "xrevrange"],
      ...byHand,
    ],
    reads: [
      ...[keys.probe, keys.agentRegistration(agent), keys.announcements, keys.mailIn(agent)],
      ...[keys.agentQueued(agent), keys.agentAsked(agent), keys.agentWork(agent)],
      ...[keys.claim(anyClaim), keys.laterBids(anyClaim), keys.grants(anyClaim)],
      ...[
        keys.artefact(anyArtefact),
        keys.thread(anyId as LogicalId),
        keys.goal(anyGoal),
        keys.paused,
        keys.pausedGoals,
        keys.holds,
        keys.lanes,
        keys.mailOut(agent),
      ],
    ],
    writes: [],
    channels: [keys.artefactChannel, keys.claimChannel, keys.announcements, keys.mailIn(agent)],
    only: {
      // Each of these keys has one type for ever, whatever the agent sends: one that is of another
      // cannot be read by the programs of others. The one function that writes: takeGrant.
      fcall: [keys.probe, keys.agentTaken(agent), keys.mailOut(agent)],
      hdel: [keys.agentTaken(agent)],
      hget: [keys.agentTaken(agent)],
      hsetnx: [keys.agentTaken(agent)],
      set: [keys.probe, keys.agentStatus(agent)],
      xadd: [keys.mailOut(agent)],
      blmpop: [keys.agentGrants(agent)],
      lpop: [keys.agentGrants(agent)],
    },
  };
}
