// All that an instance has on record at one moment, read with plain Redis commands and without
// trusting any index: every key is looked at.

import type { GoalEnding } from "../../lib/blackboard/port/artefacts.ts";
import { artefactOfFields } from "../../lib/blackboard/records/artefact-fields.ts";
import { storedKinds } from "../../lib/blackboard/records/due-member.ts";
import { keysOf } from "../../lib/blackboard/records/keys.ts";
import {
  claimFieldNames,
  claimFields,
  grantOfText,
  snapshotOf,
} from "../../lib/blackboard/redis/claim-fields.ts";
import { AgentRegistration, AgentStatus } from "../../lib/model/agent.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { Claim, Grant } from "../../lib/model/claim.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { InstanceName } from "../../lib/model/ids.ts";
import { plantedField } from "./garbage.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

export type ClaimRecord = Claim & {
  cause: string;
  grants: Grant[];
  /** The copies for people who read. */
  granted: { review: string[]; parallel: string[]; exclusive: string };
  /** The public hash: agent → word. */
  bidHash: Record<string, string>;
};

/**
 * Plain data, so that a test can damage it. Ids are plain strings: what is checked may name things
 * that do not exist.
 */
export type History = {
  events: SettEvent[];
  artefacts: Map<string, Artefact>;
  claims: Map<string, ClaimRecord>;
  /** Artefact → cause → claim. */
  causes: Map<string, Record<string, string>>;
  threads: Map<string, { id: string; version: number }[]>;
  goals: Map<string, { ended: GoalEnding | undefined; artefacts: string[] }>;
  openClaims: string[];
  /** The questions that wait for a person. */
  openQuestions: string[];
  /** Question → the answer that counts. */
  answers: Map<string, string>;
  /** Members of the zsets `due:{kind}`. */
  due: string[];
  /** Agent → claims that it is to look at. */
  wakeUps: Map<string, string[]>;
  /** Agent → claims in which its grant is queued, as the index has it. */
  queued: Map<string, string[]>;
  agents: Map<string, AgentRegistration>;
  /** SHA-256 → what decisions were based on beside the log. */
  facts: Map<string, string>;
  /** Last heartbeats. */
  statuses: Map<string, AgentStatus>;
  isPaused: boolean;
  /** Ids of the events that the orchestrator could not handle yet. */
  owed: string[];
};

/**
 * Reads the history of one moment. Rejects for an artefact or a claim that cannot be read at all.
 */
export async function readHistory(url: string, instance: InstanceName): Promise<History> {
  return historyOf(await takeSnapshot(url, keysOf(instance).prefix), instance);
}

/**
 * Reads it from a snapshot; `isPart` is false for an artefact that is none of it. Throws for an
 * artefact or a claim that cannot be read at all.
 */
export function historyOf(
  snapshot: Snapshot,
  instance: InstanceName,
  isPart: (id: string) => boolean = () => true,
): History {
  const keys = keysOf(instance);
  // Returns the ids in the keys between this prefix and suffix.
  const idsOf = (before: string, after = "") => {
    const pattern = new RegExp(`^${keys.prefix}${before}:([^:]+)${after}$`);
    return snapshot.names.flatMap((name) => pattern.exec(name)?.[1] ?? []);
  };
  const mapOf = <Value>(ids: string[], read: (id: string) => Value) =>
    new Map(ids.map((id) => [id, read(id)] as const));
  const membersOf = (key: string) => snapshot.scores(key).map(([member]) => member);

  return {
    events: snapshot
      .stream(keys.events)
      .filter(({ fields }) => !(plantedField in fields))
      .map(eventOf),
    artefacts: mapOf(idsOf("artifact").filter(isPart), (id) =>
      artefactAt(keys.artefact(id), snapshot),
    ),
    claims: mapOf(idsOf("claim"), (id) => claimAt(keys.prefix, id, snapshot)),
    causes: mapOf(idsOf("artifact", ":claims"), (id) =>
      snapshot.hash(`${keys.artefact(id)}:claims`),
    ),
    threads: mapOf(idsOf("thread"), (id) =>
      snapshot
        .scores(`${keys.prefix}thread:${id}`)
        .map(([member, version]) => ({ id: member, version })),
    ),
    goals: mapOf(idsOf("goal", ":artefacts"), (id) => ({
      ended: snapshot.hash(`${keys.prefix}goal:${id}`).ended as GoalEnding | undefined,
      artefacts: membersOf(`${keys.prefix}goal:${id}:artefacts`),
    })),
    openClaims: membersOf(keys.openClaims),
    openQuestions: membersOf(keys.openQuestions),
    answers: mapOf(
      idsOf("question"),
      (id) => snapshot.hash(`${keys.prefix}question:${id}`).answer ?? "",
    ),
    due: storedKinds.flatMap((kind) => membersOf(keys.dueOfKind(kind))),
    wakeUps: mapOf(idsOf("agent", ":grants"), (name) =>
      snapshot.list(`${keys.prefix}agent:${name}:grants`),
    ),
    queued: mapOf(idsOf("agent", ":queued"), (name) =>
      membersOf(`${keys.prefix}agent:${name}:queued`),
    ),
    agents: new Map(
      Object.entries(snapshot.hash(keys.agents)).map(([name, text]) => [
        name,
        AgentRegistration.parse(JSON.parse(text)),
      ]),
    ),
    facts: new Map(
      [
        keys.facts,
        ...idsOf("goal", ":facts").map((id) => `${keys.prefix}goal:${id}:facts`),
      ].flatMap((key) => Object.entries(snapshot.hash(key))),
    ),
    statuses: mapOf(idsOf("agent", ":status"), (name) =>
      AgentStatus.parse(JSON.parse(snapshot.string(`${keys.prefix}agent:${name}:status`))),
    ),
    isPaused: "paused_since" in snapshot.hash(keys.orchestrator),
    owed: Object.keys(snapshot.hash(keys.owedEvents)),
  };
}

function artefactAt(key: string, snapshot: Snapshot): Artefact {
  const artefact = artefactOfFields(snapshot.hash(key), key);
  if (artefact === undefined) throw new Error(`The artefact at ${key} lacks a field.`);
  return artefact;
}

export function claimAt(prefix: string, id: string, snapshot: Snapshot): ClaimRecord {
  const key = `${prefix}claim:${id}`;
  const fields = snapshot.hash(key);
  const grants = snapshot.hash(`${prefix}grants:${id}`);
  const ofClaim = claimFields(claimFieldNames.map((name) => fields[name] ?? null));
  const found = snapshotOf(key, {
    fields: ofClaim,
    laterBids: snapshot.hash(`${key}:bids:later`),
    grants: Object.values(grants),
    isHash: true,
  });
  if (found === undefined) throw new Error(`The claim at ${key} lacks its id.`);
  const misplaced = Object.entries(grants).find(
    ([agent, text]) => grantOfText(text).agent !== agent,
  );
  if (misplaced !== undefined)
    throw new Error(`The grant of ${misplaced[0]} on claim ${id} names another agent.`);
  return {
    ...found.claim,
    grants: found.grants,
    cause: fields.cause ?? "",
    granted: {
      review: JSON.parse(fields.granted_review_agents ?? "null"),
      parallel: JSON.parse(fields.granted_parallel_agents ?? "null"),
      exclusive: fields.granted_exclusive_agent ?? "",
    },
    bidHash: snapshot.hash(`${key}:bids`),
  };
}

/** As it is written: the checker says whether it has all that an event must have. */
function eventOf({ id, fields }: { id: string; fields: Record<string, string> }): SettEvent {
  const time = new Date(Number.parseInt(id, 10)).toISOString();
  return { ...JSON.parse(fields.event ?? "{}"), type: fields.type, id, time };
}
