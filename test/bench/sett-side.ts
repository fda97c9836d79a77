// Sett under measurement: the orchestrator and three cubs in processes of their own, tools that do nothing.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import { type GoalId, InstanceName } from "../../lib/model/ids.ts";
import type { RedisServer } from "../support/redis-server.ts";
import { sampleAgent, sampleArtefact } from "../support/sample.ts";
import { waitFor } from "../support/wait-for.ts";
import { now } from "./figures.ts";
import { type Running, startProcess } from "./processes.ts";

/** All three want every goal: the first bid wins, so that the work spreads over them. */
const agents = ["one", "two", "three"];

/** How often what is measured is looked at. */
export const lookEveryMs = 5;

export class SettSide implements AsyncDisposable {
  readonly #processes: Running[];
  readonly board: Blackboard;
  readonly agents = agents.length;

  private constructor(board: Blackboard, processes: Running[]) {
    this.board = board;
    this.#processes = processes;
  }

  static async start(redis: RedisServer): Promise<SettSide> {
    const instance = InstanceName.parse("bench");
    const board = await connectBlackboard({ url: redis.url, instance, timeoutMs: 10_000 });
    const bids = [{ on: "GoalDefined", bid: "exclusive" as const }];
    await board.registerAgents(
      agents.map((name) => sampleAgent(name, { bids })),
      "person:bench",
      { exact: true },
    );
    const common = { SETT_INSTANCE_NAME: instance, REDIS_URL: redis.url, SETT_HEALTH_PORT: "0" };
    const processes = [
      startProcess("apps/orchestrator/main.ts", common),
      ...agents.map((name) =>
        startProcess("test/bench/noop-cub.ts", { ...common, SETT_AGENT_NAME: name, SETT_AGENT_COMMAND: "[]" }),
      ),
    ];
    await waitFor("the cubs", async () => (await board.listStatuses()).size === agents.length, { timeoutMs: 20_000 });
    await waitFor("the orchestrator", () => board.readSeat(), { timeoutMs: 20_000 });
    return new SettSide(board, processes);
  }

  /** One goal at a time: milliseconds from creating the artefact to the start of its tool, and to the answer of the call. */
  async latency(): Promise<{ toToolMs: number; createdMs: number }> {
    const goal = sampleArtefact();
    const began = now();
    await this.board.createArtefact(goal, "person:bench");
    const createdMs = now() - began;
    await Bun.sleep(lookEveryMs);
    const result = await this.#resultOf(goal.goal_id);
    return { toToolMs: Number(result.payload) - began, createdMs };
  }

  /**
   * Claims per second from the first artefact to the last `complete`, with about `window` claims open at any time. Both moments are
   * read from the log afterwards, so that watching costs nothing while it is measured.
   */
  async throughput(goals: number, window = 300): Promise<number> {
    const start = await this.board.endOfEvents();
    for (let stated = 0; stated < goals; await Bun.sleep(10)) {
      const room = Math.min(goals - stated, window - (await this.board.listOpenClaims()).length);
      await Promise.all(
        Array.from({ length: Math.max(0, room) }, () => this.board.createArtefact(sampleArtefact(), "person:bench")),
      );
      stated += Math.max(0, room);
    }
    const log: SettEvent[] = [];
    const completed = () => log.filter((event) => event.type === "claim_completed");
    await waitFor("the last claim", async () => {
      for (;;) {
        const more = await this.board.readEvents(log.at(-1)?.id ?? start, 10_000);
        log.push(...more);
        if (more.length === 0) return completed().length === goals;
      }
    });
    const began = Date.parse(log[0]?.time ?? "");
    const ended = Date.parse(completed().at(-1)?.time ?? "");
    return goals / ((ended - began) / 1_000);
  }

  /** Looked for now and then: an observer who is woken by every event would take its share of two cores. */
  async #resultOf(goal: GoalId): Promise<Artefact> {
    return waitFor(
      "the goal's result",
      async () => {
        if ((await this.board.listOpenClaims()).length > 0) return undefined;
        const [, result] = await this.board.readArtefacts(await this.board.listArtefactsOfGoal(goal));
        return result;
      },
      { everyMs: lookEveryMs },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((running) => running[Symbol.asyncDispose]()));
    await this.board[Symbol.asyncDispose]();
  }
}
