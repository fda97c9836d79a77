// Triggers over a real Redis and a real repository, with a clock that the test sets. A program that
// ends and starts again is another `start`.

import { defaultLimits } from "../../../apps/api/deps.ts";
import { createApiMetrics } from "../../../apps/api/metrics.ts";
import { suggestRequest } from "../../../apps/api/over-http.ts";
import { type Parts, partsOf } from "../../../apps/api/parts.ts";
import { openRepository } from "../../../apps/api/repository.ts";
import { TriggerLooks } from "../../../apps/api/triggers/run-triggers.ts";
import { type Clock, systemClock } from "../../../lib/async/clock.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { draw } from "../../../lib/drawing/draw.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { ArtefactId } from "../../../lib/model/ids.ts";
import { Trigger } from "../../../lib/model/trigger.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { hostEnv, sampleRepository } from "../git/sample-repository.ts";
import { type RedisServer, startRedisServer } from "../redis/redis-server.ts";
import type { Place } from "../world/place.ts";
import { placeInRedis } from "../world/redis-place.ts";

export class TriggerScene implements AsyncDisposable {
  readonly repository: ReturnType<typeof sampleRepository>;
  readonly redis: RedisServer;
  readonly place: Place;
  readonly board: Blackboard;
  /** The lines that the programs have logged. */
  readonly log: string[] = [];
  /** ISO 8601: what the programs take for now. */
  now: string;
  readonly clock: Clock;
  readonly #over = new AbortController();
  readonly #boards: Blackboard[] = [];

  private constructor(redis: RedisServer, place: Place, board: Blackboard, now: string) {
    this.repository = sampleRepository();
    this.redis = redis;
    this.place = place;
    this.board = board;
    this.now = now;
    this.clock = { now: () => new Date(this.now), passedMs: systemClock.passedMs };
  }

  static async open(now = "2026-11-20T12:00:00Z"): Promise<TriggerScene> {
    const redis = await startRedisServer();
    const place = placeInRedis(redis);
    return new TriggerScene(redis, place, await place.open(), now);
  }

  /** A program that has just started. `change`: its blackboard may be one that fails. */
  async start(
    triggers: readonly unknown[],
    change: (board: Blackboard) => Blackboard = (board) => board,
  ) {
    const parts = await this.parts(triggers, change);
    return Object.assign(new TriggerLooks(parts), { parts });
  }

  async parts(
    triggers: readonly unknown[],
    change: (board: Blackboard) => Blackboard = (board) => board,
  ): Promise<Parts> {
    const board = await this.place.open();
    this.#boards.push(board);
    const deps = {
      ...{
        board: change(board),
        version: "0.0.0-test",
        tokens: [],
        isSecure: false,
        origins: [],
        metrics: createApiMetrics(),
      },
      triggers: triggers.map((trigger) => Trigger.parse(trigger)),
      repository: await openRepository(this.repository.path, hostEnv, { hasFiles: false }),
      log: createJsonLog((line) => this.log.push(line), systemClock.now),
      ...{
        clock: this.clock,
        newId: () => crypto.randomUUID(),
        drawSvg: draw,
        suggest: suggestRequest,
        limits: defaultLimits,
      },
    };
    return partsOf(deps, this.#over.signal);
  }

  /** The goals that were stated, oldest first. */
  async goals(): Promise<Artefact[]> {
    const ids = await this.board.listGoals();
    return await this.board.readArtefacts(ids.map((id) => ArtefactId.parse(id)));
  }

  /** Returns what triggers did, as the log of the instance has it. */
  async events(): Promise<
    { type: string; actor: string; cause: unknown; reason?: unknown; goal?: string | undefined }[]
  > {
    const events = await this.board.readEvents("0", 10_000);
    return events
      .filter(({ type }) => type.startsWith("trigger_"))
      .map(({ type, actor, data, goal_id }) => ({
        ...{ type, actor, cause: data?.cause },
        ...(data?.reason !== undefined && { reason: data.reason }),
        ...(goal_id !== undefined && { goal: goal_id }),
      }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    for (const board of [...this.#boards, this.board]) await board[Symbol.asyncDispose]();
    await this.redis[Symbol.asyncDispose]();
    this.repository[Symbol.dispose]();
  }
}
