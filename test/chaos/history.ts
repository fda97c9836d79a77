// All that an instance has on record, read with plain Redis commands and without trusting any index: every key is looked at.
import { artefactOfFields } from "../../lib/blackboard/artefact-fields.ts";
import type { GoalEnding } from "../../lib/blackboard/artefact-port.ts";
import { keysOf } from "../../lib/blackboard/keys.ts";
import { claimFieldNames, grantOfText, snapshotOf } from "../../lib/blackboard/redis/claim-fields.ts";
import { type Client, newClient } from "../../lib/blackboard/redis/client.ts";
import { AgentRegistration } from "../../lib/model/agent.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { Claim, Grant } from "../../lib/model/claim.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { InstanceName } from "../../lib/model/ids.ts";

export type ClaimRecord = Claim & {
  cause: string;
  grants: Grant[];
  /** The copies for people who read. */
  granted: { review: string[]; parallel: string[]; exclusive: string };
  /** The public hash: agent → word. */
  bidHash: Record<string, string>;
};

/** Plain data, so that a test can damage it. Ids are plain strings: what is checked may name things that do not exist. */
export type History = {
  events: SettEvent[];
  artefacts: Map<string, Artefact>;
  claims: Map<string, ClaimRecord>;
  /** Artefact → cause → claim. */
  causes: Map<string, Record<string, string>>;
  threads: Map<string, { id: string; version: number }[]>;
  goals: Map<string, { ended: GoalEnding | undefined; artefacts: string[] }>;
  openClaims: string[];
  /** Those that wait for a person. */
  openQuestions: string[];
  /** Question → the answer that counts. */
  answers: Map<string, string>;
  /** Members of the zset `due`. */
  due: string[];
  /** Agent → claims that it is to look at. */
  wakeUps: Map<string, string[]>;
  agents: Map<string, AgentRegistration>;
};

const mostTries = 100;

/** Rejects for an artefact or a claim that cannot be read at all, and for an instance where too much goes on. */
export async function readHistory(url: string, instance: InstanceName): Promise<History> {
  const client = newClient(url, 3_000, 10_000);
  await client.connect();
  try {
    const reader = new Reader(client, instance);
    // Many reads are no snapshot: they are made again while something happens meanwhile, and whatever happens is in the log.
    for (let tries = 0; tries < mostTries; tries += 1) {
      const history = await reader.read();
      if ((await reader.endOfEvents()) === history.events.at(-1)?.id) return history;
    }
    throw new Error(`Instance ${instance} does not come to rest.`);
  } finally {
    client.destroy();
  }
}

class Reader {
  readonly #client: Client;
  readonly #keys: ReturnType<typeof keysOf>;

  constructor(client: Client, instance: InstanceName) {
    this.#client = client;
    this.#keys = keysOf(instance);
  }

  async read(): Promise<History> {
    const keys = this.#keys;
    const client = this.#client;
    const names: string[] = [];
    for await (const found of client.scanIterator({ MATCH: `${keys.prefix}*`, COUNT: 1_000 })) names.push(...found);
    // What follows the prefix, the id apart from what goes before and after it.
    const idsOf = (before: string, after = "") =>
      names.flatMap((name) => new RegExp(`^${keys.prefix}${before}:([^:]+)${after}$`).exec(name)?.[1] ?? []);
    const mapOf = async <Value>(ids: string[], read: (id: string) => Promise<Value>) =>
      new Map(await Promise.all(ids.map(async (id) => [id, await read(id)] as const)));

    return {
      events: ((await client.xRange(keys.events, "-", "+")) ?? []).map(eventOf),
      artefacts: await mapOf(idsOf("artifact"), (id) => this.#readArtefact(keys.artefact(id))),
      claims: await mapOf(idsOf("claim"), (id) => this.#readClaim(id)),
      causes: await mapOf(idsOf("artifact", ":claims"), (id) => client.hGetAll(`${keys.artefact(id)}:claims`)),
      threads: await mapOf(idsOf("thread"), async (id) =>
        (await client.zRangeWithScores(`${keys.prefix}thread:${id}`, 0, -1)).map(({ value, score }) => ({
          id: value,
          version: score,
        })),
      ),
      goals: await mapOf(idsOf("goal", ":artefacts"), async (id) => ({
        ended: ((await client.hGet(`${keys.prefix}goal:${id}`, "ended")) ?? undefined) as GoalEnding | undefined,
        artefacts: await client.zRange(`${keys.prefix}goal:${id}:artefacts`, 0, -1),
      })),
      openClaims: await client.zRange(keys.openClaims, 0, -1),
      openQuestions: await client.zRange(keys.openQuestions, 0, -1),
      answers: await mapOf(idsOf("question"), async (id) => (await client.hGet(`${keys.prefix}question:${id}`, "answer")) ?? ""),
      due: await client.zRange(keys.due, 0, -1),
      wakeUps: await mapOf(idsOf("agent", ":grants"), (name) => client.lRange(`${keys.prefix}agent:${name}:grants`, 0, -1)),
      agents: new Map(
        Object.entries(await client.hGetAll(keys.agents)).map(([name, text]) => [
          name,
          AgentRegistration.parse(JSON.parse(text)),
        ]),
      ),
    };
  }

  async endOfEvents(): Promise<string | undefined> {
    return (await this.#client.xRevRange(this.#keys.events, "+", "-", { COUNT: 1 }))?.[0]?.id;
  }

  async #readArtefact(key: string): Promise<Artefact> {
    const artefact = artefactOfFields(await this.#client.hGetAll(key), key);
    if (artefact === undefined) throw new Error(`The artefact at ${key} lacks a field.`);
    return artefact;
  }

  async #readClaim(id: string): Promise<ClaimRecord> {
    const key = `${this.#keys.prefix}claim:${id}`;
    const fields = await this.#client.hGetAll(key);
    const grants = await this.#client.hGetAll(`${this.#keys.prefix}grants:${id}`);
    const values = claimFieldNames.map((name) => fields[name] ?? null);
    const snapshot = snapshotOf(key, values, Object.values(grants));
    if (snapshot === undefined) throw new Error(`The claim at ${key} lacks its id.`);
    const misplaced = Object.entries(grants).find(([agent, text]) => grantOfText(text).agent !== agent);
    if (misplaced !== undefined) throw new Error(`The grant of ${misplaced[0]} on claim ${id} names another agent.`);
    return {
      ...snapshot.claim,
      grants: snapshot.grants,
      cause: fields.cause ?? "",
      granted: {
        review: JSON.parse(fields.granted_review_agents ?? "null"),
        parallel: JSON.parse(fields.granted_parallel_agents ?? "null"),
        exclusive: fields.granted_exclusive_agent ?? "",
      },
      bidHash: await this.#client.hGetAll(`${key}:bids`),
    };
  }
}

/** As it stands: whether it has all that an event must have is for the checker to say. */
function eventOf({ id, message }: { id: string; message: Record<string, string> }): SettEvent {
  const time = new Date(Number.parseInt(id, 10)).toISOString();
  return { ...JSON.parse(message.event ?? "{}"), type: message.type, id, time };
}
