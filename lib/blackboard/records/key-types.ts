// The types of all keys of an instance: by this table a key is found that a person has replaced by
// one of another type.
import type { InstanceName } from "../../model/ids.ts";
import { type Keys, keysOf } from "./keys.ts";

export type KeyType = "hash" | "list" | "stream" | "string" | "zset";

/** Nothing is stored under these: a beginning of keys, or a channel. */
type NoKey = "prefix" | "due" | "artefactChannel" | "claimChannel" | "probe";

const typeOfKey: Record<Exclude<keyof Keys, NoKey>, KeyType> = {
  owner: "string",
  artefact: "hash",
  claimsOfArtefact: "hash",
  list: "zset",
  claim: "hash",
  bids: "hash",
  laterBids: "hash",
  grants: "hash",
  thread: "zset",
  goal: "hash",
  artefactsOfGoal: "zset",
  goalBudget: "hash",
  modelCalls: "hash",
  toolCharges: "hash",
  askedCalls: "hash",
  spending: "hash",
  holds: "hash",
  openModelCalls: "zset",
  claimBudget: "hash",
  bidTokens: "hash",
  gateway: "string",
  question: "hash",
  openQuestions: "zset",
  reply: "string",
  delivery: "hash",
  factsOfGoal: "hash",
  facts: "hash",
  proof: "hash",
  lanes: "hash",
  goals: "zset",
  artefacts: "zset",
  refusedArtefacts: "hash",
  artefactsWithCommit: "zset",
  artefactDigests: "hash",
  openClaims: "zset",
  dueOfKind: "zset",
  events: "stream",
  removedEvents: "string",
  archives: "hash",
  owedEvents: "hash",
  announcements: "stream",
  agents: "hash",
  expectedAgents: "hash",
  senders: "hash",
  agentRegistration: "string",
  agentStatus: "string",
  preparing: "hash",
  agentGrants: "list",
  agentQueued: "zset",
  agentAsked: "zset",
  agentWork: "zset",
  agentTaken: "hash",
  mailOut: "stream",
  mailIn: "stream",
  workerLogs: "stream",
  orchestrator: "hash",
  paused: "string",
  pausedGoals: "hash",
  pausedMail: "hash",
  trigger: "hash",
  triggers: "hash",
};

/** An id or a name, which have no colon, takes its place; what others name may have some. */
const anyName = "ANY";
const freeNames = new Set(["reply", "delivery", "spending"]);

/** Says of a key which type it is to be of; undefined of one that is none of Sett's. */
export function keyTypes(instance: InstanceName): (key: string) => KeyType | undefined {
  const keys = keysOf(instance);
  const fixed = new Map<string, KeyType>();
  const patterns: { pattern: RegExp; type: KeyType }[] = [];
  for (const [name, type] of Object.entries(typeOfKey)) {
    const key = keys[name as keyof typeof typeOfKey];
    if (typeof key === "string") {
      fixed.set(key, type);
      continue;
    }
    const text = (key as (id: string) => string)(anyName).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const some = freeNames.has(name) ? ".+" : "[^:]+";
    patterns.push({ pattern: new RegExp(`^${text.replace(anyName, some)}$`, "s"), type });
  }
  return (key) => fixed.get(key) ?? patterns.find(({ pattern }) => pattern.test(key))?.type;
}
