// A clan on a Redis of its own, into whose records a person's hand may reach.
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { isEnded } from "../../../lib/model/claim.ts";
import type { EventType, SettEvent } from "../../../lib/model/event.ts";
import { type RedisServer, startRedisServer } from "../redis/redis-server.ts";
import { waitFor } from "../wait-for.ts";
import { Clan, type ClanOptions, type Member } from "./clan.ts";
import { placeInRedis } from "./redis-place.ts";

/** A clan with an orchestrator, on a Redis that ends with it. */
export async function startClan(
  members: Record<string, Member>,
  options: ClanOptions = {},
): Promise<RedisClan> {
  const redis = await startRedisServer();
  const place = placeInRedis(redis);
  const clan = new RedisClan(redis, place, await place.open(), options);
  await clan.join(members);
  await clan.startOrchestrator();
  return clan;
}

export class RedisClan extends Clan {
  readonly #redis: RedisServer;
  readonly #prefix: string;

  constructor(
    redis: RedisServer,
    place: ReturnType<typeof placeInRedis>,
    board: Blackboard,
    options: ClanOptions,
  ) {
    super(place, board, options);
    this.#redis = redis;
    this.#prefix = `sett:${place.instance}:`;
  }

  /**
   * Types what a person would at redis-cli; `name` goes without what all keys of the instance begin
   * with.
   */
  hand(command: string, name: string, ...words: string[]): Promise<string> {
    return this.#redis.cli(command, `${this.#prefix}${name}`, ...words);
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
