// Sett under measurement: the orchestrator and three cubs in processes of their own, tools that do nothing.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import type { RedisServer } from "../support/redis-server.ts";
import { sampleAgent, sampleArtefact } from "../support/sample.ts";
import { waitFor } from "../support/wait-for.ts";
import { now } from "./figures.ts";
import { type Running, startProcess } from "./processes.ts";

/** All three want every goal: the first bid wins, so that the work spreads over them. */
const agents = ["one", "two", "three"];

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

  /** One goal at a time: milliseconds from creating the artefact to the start of its tool. */
  async latency(): Promise<number> {
    const goal = sampleArtefact();
    const ended = this.#untilCompleted(1);
    await ended.isListening;
    const began = now();
    await this.board.createArtefact(goal, "person:bench");
    await ended.done;
    const [, result] = await this.board.readArtefacts(await this.board.listArtefactsOfGoal(goal.goal_id));
    return Number(result?.payload) - began;
  }

  /** Claims per second from the first artefact to the last `complete`, with `window` goals on their way at any time. */
  async throughput(goals: number, window = 300): Promise<number> {
    const artefacts = Array.from({ length: goals }, () => sampleArtefact());
    const stop = new AbortController();
    const log = this.board.followEvents(await this.board.endOfEvents(), stop.signal);
    const began = performance.now();
    let stated = 0;
    const state = (count: number) => {
      for (const goal of artefacts.slice(stated, stated + count)) void this.board.createArtefact(goal, "person:bench");
      stated += count;
    };
    state(window);
    let completed = 0;
    for await (const events of log) {
      const ended = events.filter((event) => event.type === "claim_completed").length;
      completed += ended;
      if (completed >= goals) stop.abort();
      else state(ended);
    }
    return goals / ((performance.now() - began) / 1_000);
  }

  /** Milliseconds to create one artefact, nothing else going on but its claim. */
  async createLatency(): Promise<number> {
    const ended = this.#untilCompleted(1);
    await ended.isListening;
    const began = performance.now();
    await this.board.createArtefact(sampleArtefact(), "person:bench");
    const tookMs = performance.now() - began;
    await ended.done;
    return tookMs;
  }

  #untilCompleted(count: number): { isListening: Promise<void>; done: Promise<void> } {
    const from = this.board.endOfEvents();
    const follow = async () => {
      const stop = new AbortController();
      let completed = 0;
      for await (const events of this.board.followEvents(await from, stop.signal)) {
        completed += events.filter((event) => event.type === "claim_completed").length;
        if (completed >= count) stop.abort();
      }
    };
    return { isListening: from.then(() => undefined), done: follow() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((running) => running[Symbol.asyncDispose]()));
    await this.board[Symbol.asyncDispose]();
  }
}
