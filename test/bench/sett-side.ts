// Sett under measurement: the orchestrator and its cubs in processes of their own, tools that do
// nothing.

import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import { keysOf } from "../../lib/blackboard/records/keys.ts";
import { type Client, newClient } from "../../lib/blackboard/redis/client.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { BidWord } from "../../lib/model/bid.ts";
import { type GoalId, InstanceName } from "../../lib/model/ids.ts";
import { sampleAgent, sampleArtefact } from "../support/records/sample.ts";
import type { RedisServer } from "../support/redis/redis-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { now } from "./figures.ts";
import { type Running, startProcess, together } from "./processes.ts";
import { beganMs } from "./started-tool.ts";

export type Clan = Readonly<Record<string, BidWord>>;

/** All three want every goal: the first bid wins, so that the work spreads over them. */
export const rivals: Clan = { one: "exclusive", two: "exclusive", three: "exclusive" };

/**
 * The rivals, and one that takes claims and never works on them: a controller whose workers are not
 * started.
 */
const sleeper = "sleeper";
export const rivalsAndSleeper: Clan = { ...rivals, [sleeper]: "ignore" };
const sleepingAgent = sampleAgent(sleeper, {
  bids: [{ on: "Parked", bid: "exclusive" }],
  replicas: 2,
  strategy: "fresh_per_call",
});

/** One claim goes through all three phases. */
export const threePhases: Clan = {
  reviewer: "review",
  tester: "claim",
  linter: "claim",
  scanner: "claim",
  packager: "exclusive",
};

/** So many claims are open at any time while claims per second are measured. */
export const openAtOnce = 300;

/** How often what is measured is looked at. */
export const pollEveryMs = 5;

export class SettSide implements AsyncDisposable {
  #cubs: Running;
  readonly #environment: Record<string, string>;
  #orchestrator: Running;
  #parked = 0;
  /** To count without reading. */
  readonly #redis: Client;
  readonly board: Blackboard;
  readonly agents: number;

  private constructor(
    board: Blackboard,
    redis: Client,
    agents: number,
    cubs: Running,
    environment: Record<string, string>,
  ) {
    this.board = board;
    this.#redis = redis;
    this.agents = agents;
    this.#cubs = cubs;
    this.#environment = environment;
    this.#orchestrator = startProcess("apps/orchestrator/main.ts", environment);
  }

  /**
   * `sharedProcess`: all cubs in one, for clans of many. `isStarted`: the tools are programs that
   * are started. `cubUrl`: where cubs reach Redis otherwise than the orchestrator.
   */
  static async start(
    redis: Pick<RedisServer, "url">,
    clan = rivals,
    { sharedProcess = false, isStarted = false, cubUrl = redis.url } = {},
  ): Promise<SettSide> {
    const instance = InstanceName.parse(`bench-${crypto.randomUUID().slice(0, 8)}`);
    const board = await connectBlackboard({ url: redis.url, instance, timeoutMs: 10_000 });
    const names = Object.keys(clan);
    await board.registerAgents(
      Object.entries(clan).map(([name, bid]) =>
        name === sleeper
          ? sleepingAgent
          : sampleAgent(name, { bids: [{ on: "GoalDefined", bid }] }),
      ),
      "person:bench",
      { exact: true },
    );
    const environment = {
      SETT_INSTANCE_NAME: instance,
      REDIS_URL: redis.url,
      SETT_HEALTH_PORT: "0",
      ...(isStarted && { BENCH_TOOL: "started" }),
    };
    const ofCubs = { ...environment, REDIS_URL: cubUrl };
    const cubs = sharedProcess
      ? [startCubs(ofCubs, names)]
      : names.map((name) => startCubs(ofCubs, [name]));
    const counter = newClient(redis.url, 3_000, 0);
    await counter.connect();
    const side = new SettSide(board, counter, names.length, together(cubs), environment);
    await waitFor("the cubs", async () => (await board.listStatuses()).size === names.length, {
      timeoutMs: 30_000,
    });
    await waitFor("the orchestrator", () => board.readLeader(), { timeoutMs: 20_000 });
    return side;
  }

  get orchestratorPids(): readonly number[] {
    return this.#orchestrator.pids;
  }

  get cubPids(): readonly number[] {
    return this.#cubs.pids;
  }

  /** So many more agents, which want nothing, connect from one process. */
  async join(count: number): Promise<void> {
    const names = Array.from({ length: count }, (_, index) => `idle-${index}`);
    const agents = names.map((name) =>
      sampleAgent(name, { bids: [{ on: "GoalDefined", bid: "ignore" }] }),
    );
    await this.board.registerAgents(agents, "person:bench", { exact: false });
    const before = (await this.board.listStatuses()).size;
    this.#cubs = together([this.#cubs, startCubs(this.#environment, names)]);
    const haveJoined = async () => (await this.board.listStatuses()).size === before + count;
    await waitFor("the cubs", haveJoined, { timeoutMs: 180_000, everyMs: 200 });
  }

  /**
   * Kills the orchestrator in the middle of `goals` claims, all of them open, and starts another:
   * milliseconds from that start until the last of them is complete.
   */
  async recovery(goals: number): Promise<number> {
    const start = await this.board.endOfEvents();
    this.#cubs.signal("SIGSTOP");
    await Promise.all(
      Array.from({ length: goals }, () =>
        this.board.createArtefact(sampleArtefact(), "person:bench"),
      ),
    );
    await waitFor("the claims", async () => (await this.#openClaims()) === goals, {
      timeoutMs: 30_000,
    });
    this.#orchestrator.signal("SIGKILL");
    this.#cubs.signal("SIGCONT");
    await Bun.sleep(500);
    const began = now();
    this.#orchestrator = startProcess("apps/orchestrator/main.ts", this.#environment);
    return (await this.#lastCompletion(start, goals)) - began;
  }

  /** Opens claims that stay open, granted to the sleeper. */
  async park(claims: number): Promise<void> {
    for (let from = 0; from < claims; from += 500) {
      const goals = Array.from({ length: Math.min(500, claims - from) }, () =>
        sampleArtefact({ type: "Parked" }),
      );
      await Promise.all(goals.map((goal) => this.board.createArtefact(goal, "person:bench")));
    }
    this.#parked += claims;
    const isParked = async () =>
      (await this.#openClaims()) === 0 &&
      (await this.board.readLeader())?.cursor === (await this.board.endOfEvents());
    await waitFor("the parked claims", isParked, { timeoutMs: 120_000, everyMs: 100 });
  }

  async #openClaims(): Promise<number> {
    return (await this.#redis.zCard(keysOf(this.board.instance).openClaims)) - this.#parked;
  }

  /**
   * Milliseconds from the first work of one phase to that of the next, over two such steps; one
   * goal at a time.
   */
  async phaseMs(): Promise<number> {
    const start = await this.board.endOfEvents();
    await this.board.createArtefact(sampleArtefact(), "person:bench");
    await this.#lastCompletion(start, 1);
    const begun = (await this.board.readEvents(start, 1_000)).filter(
      (event) => event.type === "grant_started",
    );
    const at = (phase: string) =>
      Date.parse(begun.find((event) => event.data?.phase === phase)?.time ?? "");
    return (at("exclusive") - at("review")) / 2;
  }

  /**
   * One goal at a time: milliseconds from creating the artefact to the start of its tool, and to
   * the answer of the call.
   */
  async latency(): Promise<{ toToolMs: number; createdMs: number }> {
    const goal = sampleArtefact();
    const began = now();
    await this.board.createArtefact(goal, "person:bench");
    const createdMs = now() - began;
    await Bun.sleep(pollEveryMs);
    const result = await this.#resultOf(goal.goal_id);
    return { toToolMs: beganMs(result.payload) - began, createdMs };
  }

  /**
   * Claims per second from the first artefact to the last `complete`, with about `openAtOnce`
   * claims open at any time. Both moments are read from the log afterwards, so that watching costs
   * nothing while it is measured.
   */
  async throughput(goals: number): Promise<number> {
    const start = await this.board.endOfEvents();
    for (let stated = 0; stated < goals; await Bun.sleep(10)) {
      const room = Math.min(goals - stated, openAtOnce - (await this.#openClaims()));
      await Promise.all(
        Array.from({ length: Math.max(0, room) }, () =>
          this.board.createArtefact(sampleArtefact(), "person:bench"),
        ),
      );
      stated += Math.max(0, room);
    }
    const ended = await this.#lastCompletion(start, goals);
    const [first] = await this.board.readEvents(start, 1);
    return goals / ((ended - Date.parse(first?.time ?? "")) / 1_000);
  }

  /** When the last of so many claims after `start` was completed, by the log: Unix milliseconds. */
  async #lastCompletion(start: string, claims: number): Promise<number> {
    let completed = 0;
    let last = "";
    let from = start;
    await waitFor(
      "the last claim",
      async () => {
        if ((await this.#openClaims()) > 0) return false;
        for (
          let events = await this.board.readEvents(from, 10_000);
          ;
          events = await this.board.readEvents(from, 10_000)
        ) {
          for (const { type, time, id } of events) {
            from = id;
            if (type !== "claim_completed") continue;
            completed++;
            last = time;
          }
          if (events.length === 0) return completed >= claims;
        }
      },
      { timeoutMs: 120_000, everyMs: pollEveryMs },
    );
    return Date.parse(last);
  }

  /**
   * Looked for now and then: an observer who is woken by every event would take its share of two
   * cores.
   */
  async #resultOf(goal: GoalId): Promise<Artefact> {
    return waitFor(
      "the goal's result",
      async () => {
        if ((await this.#openClaims()) > 0) return undefined;
        const [, result] = await this.board.readArtefacts(
          await this.board.listArtefactsOfGoal(goal),
        );
        return result;
      },
      { everyMs: pollEveryMs },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      this.#orchestrator[Symbol.asyncDispose](),
      this.#cubs[Symbol.asyncDispose](),
    ]);
    this.#redis.destroy();
    await this.board[Symbol.asyncDispose]();
  }
}

function startCubs(environment: Record<string, string>, some: readonly string[]): Running {
  return startProcess("test/bench/noop-cub.ts", {
    ...environment,
    SETT_AGENTS: some.join(","),
    SETT_AGENT_COMMAND: "[]",
  });
}
