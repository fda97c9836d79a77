// The whole state of an instance in Redis, read raw, in the form in which the twin's is compared
// with it.
import { announcementOf } from "../../../../lib/blackboard/records/announced-claim.ts";
import { eventOf } from "../../../../lib/blackboard/records/logged-event.ts";
import { type KeyName, keyNameOf } from "./key-patterns.ts";
import type { NormalState } from "./side.ts";
import type { VirtualRedis } from "./virtual-redis.ts";

/** Every key with its type and what it holds. */
const dump = `
local read = {
  hash = function(key) return redis.call('HGETALL', key) end,
  zset = function(key) return redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  stream = function(key) return redis.call('XRANGE', key, '-', '+') end,
  string = function(key) return { redis.call('GET', key) } end,
}
local all = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  all[#all + 1] = { key, read[redis.call('TYPE', key).ok](key) }
end
return all`;

type Words = string[];
type Entry = [id: string, words: Words];

/** Says what each key becomes; undefined where it is left out. */
type Normalize = (words: Words) => unknown;

export async function stateOfRedis({ raw }: VirtualRedis, prefix: string): Promise<NormalState> {
  const all = (await raw.eval(dump, { keys: [], arguments: [prefix] })) as [string, Words][];
  const state: NormalState = {};
  for (const [key, words] of all) {
    const name = key.slice(prefix.length);
    const value = normalOf(keyNameOf(name).name)(words);
    if (value !== undefined) state[name] = value;
  }
  for (const name of Object.keys(state))
    if (keyNameOf(name).name === "laterBids") joinLaterBids(state, name);
  return state;
}

/**
 * While the bidding is open, Redis has the record of a claim's bids in two parts, and the twin in
 * one.
 */
function joinLaterBids(state: NormalState, name: string): void {
  const claim = state[name.replace(/:bids:later$/, "")] as Record<string, string>;
  const later = Object.entries(state[name] as Record<string, string>).map(([agent, text]) => [
    agent,
    ...text.split(" "),
  ]);
  const inOrder = later
    .sort(([, one], [, other]) => Number(one) - Number(other))
    .map(([agent, , word]) => [agent, word]);
  claim.bid_order = JSON.stringify([...JSON.parse(claim.bid_order ?? ""), ...inOrder]);
  delete state[name];
}

function normalOf(name: KeyName): Normalize {
  return special[name] ?? (zsets.has(name) ? members : pairs);
}

/** Sets of which the order counts, and not the scores. */
const zsets: ReadonlySet<KeyName> = new Set([
  "thread",
  "artefactsOfGoal",
  "openQuestions",
  "goals",
  "artefacts",
  "artefactsWithCommit",
  "openClaims",
  "agentQueued",
  "agentAsked",
  "agentWork",
] as const);

const special: Partial<Record<KeyName, Normalize>> = {
  // The `granted_*` fields are copies for people who read.
  claim: (words) =>
    Object.fromEntries(
      Object.entries(pairs(words)).filter(([field]) => !field.startsWith("granted_")),
    ),
  orchestrator: (words) => {
    const fields = pairs(words);
    return Object.keys(fields).length === 0 ? undefined : fields;
  },
  goalBudget: sums,
  claimBudget: sums,
  // The caller is put in front of what the gateway has sent.
  modelCalls: (words) => mapped(pairs(words), JSON.parse),
  gateway: ([text = ""]) => JSON.parse(text),
  agentRegistration: ([text = ""]) => text,
  paused: ([text = ""]) => text,
  removedEvents: ([text = ""]) => text,
  reply: ([text = ""]) => text,
  // Leaves out the places in the mail, whose ids are not of the virtual clock.
  pausedMail: (words) => mapped(pairs(words), () => ""),
  agentTaken: (words) => mapped(pairs(words), (text) => text.replace(/^(\S+ \S+) \S+/, "$1")),
  due: pairs,
  dueOfKind: pairs,
  openModelCalls: pairs,
  agentStatus: ([text]) => text,
  agentGrants: (words) => words,
  events: (entries) =>
    entries.length === 0
      ? undefined
      : asEntries(entries).map(([id, words]) => eventOf(id, pairs(words))),
  announcements: (entries) => {
    const readable = asEntries(entries).flatMap(([, words]) => announcementOf(pairs(words)) ?? []);
    return readable.length === 0 ? undefined : readable;
  },
  mailOut: entriesWithoutIds,
  mailIn: entriesWithoutIds,
  workerLogs: (entries) => asEntries(entries).map(([, words]) => pairs(words)),
};

/** A stream stays where its last entry is deleted. */
function entriesWithoutIds(entries: Words): unknown {
  return entries.length === 0 ? undefined : asEntries(entries).map(([, words]) => pairs(words));
}

function asEntries(words: unknown): Entry[] {
  return words as Entry[];
}

function pairs(words: Words): Record<string, string> {
  const all: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 2) all[words[at] ?? ""] = words[at + 1] ?? "";
  return all;
}

function members(words: Words): string[] {
  return words.filter((_, place) => place % 2 === 0);
}

/** A sum of 0 is one that is not there. Undefined where all are. */
function sums(words: Words): Record<string, string> | undefined {
  const known = Object.entries(pairs(words)).filter(([, value]) => value !== "0");
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function mapped(
  fields: Record<string, string>,
  of: (text: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, text]) => [field, of(text)]));
}
