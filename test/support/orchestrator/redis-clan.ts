// A clan on a Redis of its own, into whose records a person's hand may reach.
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { isEnded } from "../../../lib/model/claim.ts";
import type { EventType, SettEvent } from "../../../lib/model/event.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { patient, type RedisServer, startRedisServer } from "../redis/redis-server.ts";
import { waitFor } from "../wait-for.ts";
import { Clan, type ClanOptions, type Member } from "../world/clan.ts";

export const instance = InstanceName.parse("clan");

export async function startClan(members: Record<string, Member>, options: ClanOptions = {}): Promise<RedisClan> {
  const redis = await startRedisServer();
  const open = () => connectBlackboard({ url: redis.url, instance, ...patient });
  const clan = new RedisClan(redis, await open(), open, options);
  await clan.join(members);
  await clan.startOrchestrator();
  return clan;
}

export class RedisClan extends Clan {
  readonly #redis: RedisServer;

  constructor(redis: RedisServer, ...rest: ConstructorParameters<typeof Clan>) {
    super(...rest);
    this.#redis = redis;
  }

  /** What a person would type at redis-cli; `name` goes without what all keys of the instance begin with. */
  hand(command: string, name: string, ...words: string[]): Promise<string> {
    return this.#redis.cli(command, `sett:${instance}:${name}`, ...words);
  }

  /** Waits until nothing is left to be done about a goal; gives its artefacts, itself the first. */
  async settled(goal: Artefact): Promise<Artefact[]> {
    return await waitFor(
      "the goal to be settled",
      async () => {
        const artefacts = await this.artefactsOf(goal);
        const owed = artefacts.filter(({ structural_type }) => structural_type === "Standard");
        const claims = await Promise.all(owed.map((artefact) => this.claimOn(artefact)));
        const open = await this.board.readClaims(await this.board.listOpenClaims());
        const isOver = claims.every(({ claim }) => isEnded(claim.status));
        if (!isOver || open.some(({ claim }) => claim.goal_id === goal.goal_id)) return undefined;
        // What ends a claim may bring an artefact with it.
        const all = await this.artefactsOf(goal);
        return all.length === artefacts.length && all;
      },
      { everyMs: 20 },
    );
  }

  async events(type: EventType): Promise<SettEvent[]> {
    return (await this.board.readEvents("0", 100_000)).filter((event) => event.type === type);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.#redis[Symbol.asyncDispose]();
  }
}
