// One instance: a Redis, two orchestrators of which one is on standby, the clan's cubs, and its
// people.

import type { Scale } from "../../apps/orchestrator/workers/pool-frame.ts";
import type { WorkerJob } from "../../apps/orchestrator/workers/worker-host.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { type ClaimId, InstanceName } from "../../lib/model/ids.ts";
import type { JsonLog, LogFields } from "../../lib/service/json-log.ts";
import { type Random, randomOf } from "../chaos/random.ts";
import { sampleAgent } from "../support/records/sample.ts";
import { connectDirectly } from "../support/redis-in-memory/connect.ts";
import { Life } from "./life.ts";
import { People } from "./people.ts";
import { cubProgram, orchestratorProgram, type Site, workerProgram } from "./programs.ts";
import { type Member, type Scenario, scenarioOf, wordOf } from "./scenarios.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedEngine, type WorkerMain } from "./simulated-engine.ts";
import { SimulatedRedis } from "./simulated-redis.ts";
import { type Main, Supervised } from "./supervised.ts";
import { PlayedTool } from "./tools.ts";
import { uuidsOf } from "./virtual-globals.ts";

const instance = InstanceName.parse("simulated");

/** How long a message is under way: on one machine, on a busy one, over a poor network. */
const latencies: readonly [readonly [number, number], ...(readonly [number, number])[]] = [
  [0.05, 0.5],
  [0.05, 5],
  [0.1, 40],
];

/**
 * Other goals than usual, or workers in each instance: what the other seeds play stays what it is.
 */
export const kinds = ["pieces", "quorum", "workers"] as const;
export type Kind = (typeof kinds)[number];

export class World {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly redis: SimulatedRedis;
  readonly scenario: Scenario;
  readonly people: People;
  readonly engine: SimulatedEngine;
  /** The agents that have workers. */
  readonly scales: readonly Scale[];
  readonly programs: Supervised[] = [];
  readonly tools = new Map<string, PlayedTool>();
  /** Agents that the present configuration does not name: they are not started. */
  readonly removed = new Set<string>();
  /** Goals that people have posted. */
  readonly goals: Artefact[] = [];
  readonly cancelled = new Set<string>();
  /** Agents of which a cub was ended, frozen or cut off. */
  readonly harmed = new Set<string>();
  /** Claims that a hand has made unreadable. */
  readonly broken = new Set<ClaimId>();
  /** Errors of the kinds that only a mistake in a program makes. */
  readonly mistakes: string[] = [];
  readonly own = new Life("world", 0);
  readonly #site: Site;
  readonly #trace: ((line: string) => void) | undefined;
  #lives = 0;

  constructor(seed: number, trace?: (line: string) => void, kind?: Kind) {
    this.#trace = trace;
    // Each has a chance of its own, so that another fault changes as little as possible of the
    // rest.
    const chance = (number: number) => randomOf(Math.imul(seed, 16) + number);
    this.random = chance(0);
    this.scheduler = new Scheduler(chance(1), this.own, trace);
    this.redis = new SimulatedRedis(
      this.scheduler,
      chance(2),
      instance,
      this.random.pick(latencies),
    );
    this.scenario = scenarioOf(chance(3), kind === "workers" ? "usual" : kind);
    const newId = uuidsOf(chance(4));
    this.scales = this.#giveWorkers(chance(10), kind === "workers");
    const isInCluster = kind === "workers";
    const random = chance(11);
    const place = { scheduler: this.scheduler, random, instance, isCluster: isInCluster };
    this.engine = new SimulatedEngine(
      place,
      (job, container) => this.#worker(job, container),
      this.#nextNumber,
    );
    const { grantLeaseMs } = this.scenario;
    const workers = { host: this.engine, scales: this.scales };
    this.#site = {
      redis: this.redis,
      newId,
      logOf: (program) => this.#logOf(program),
      grantLeaseMs,
      workers,
      isInCluster,
    };
    this.people = new People(this.redis, chance(5), newId, this.#logOf("people"));
    for (const holder of ["one", "two"]) this.programs.push(this.orchestrator(holder));
    const temper = {
      maxMs: this.random.pick([20, 100, 400]),
      failShare: this.random.pick([0, 0.05]),
      hangShare: 0.004,
    };
    for (const { registration, answer } of this.scenario.members) {
      if (answer === undefined) continue;
      const tool = new PlayedTool(chance(6), temper, {
        answer,
        word: (target) => wordOf(registration.name, target),
      });
      this.tools.set(registration.name, tool);
      this.programs.push(this.cub(registration, registration.name));
    }
  }

  get registrations(): AgentRegistration[] {
    return this.scenario.members
      .map(({ registration }) => registration)
      .filter(({ name }) => !this.removed.has(name));
  }

  /**
   * Whether it takes part by hand: granted work then waits for a person, and none is played here.
   */
  isByHand(agent: string): boolean {
    return this.scenario.members.some(
      ({ registration }) => registration.name === agent && registration.external === true,
    );
  }

  /** One more, not yet started. */
  orchestrator(holder: string, name = `orchestrator ${holder}`): Supervised {
    return this.#program(name, orchestratorProgram(this.#site, holder, this.scenario.policy));
  }

  /** A cub of this agent in a container of this name, not yet started. */
  cub(registration: AgentRegistration, container: string): Supervised {
    const tool = this.tools.get(registration.name);
    if (tool === undefined) throw new Error(`The agent ${registration.name} has no tool.`);
    return this.#program(container, cubProgram(this.#site, registration, tool, container));
  }

  /**
   * `sett up` was long ago, and everything runs. There was another agent before, whose mail is
   * still read.
   */
  start(): void {
    void this.#registerAgents();
    const people = this.#program("people", this.people.main);
    people.start();
    for (const program of this.programs) program.start();
  }

  async #registerAgents(): Promise<void> {
    await using up = await connectDirectly(this.redis.server, { instance });
    await up.registerAgents([...this.registrations, sampleAgent("former")], "person:Ada", {
      exact: true,
    });
    await up.registerAgents(this.registrations, "person:Ada", { exact: true });
  }

  startProgram(program: Supervised): void {
    if (!this.removed.has(program.name)) program.start();
  }

  postGoal(): void {
    const goal = this.people.newGoal(`Goal ${this.goals.length + 1}`);
    this.goals.push(goal);
    this.people.postGoal(goal);
  }

  /** In some instances one of the agents has workers. */
  #giveWorkers(random: Random, isSure: boolean): Scale[] {
    const withTool = this.scenario.members.filter(({ answer }) => answer !== undefined);
    if (!(random.chance(0.2) || isSure) || withTool.length === 0) return [];
    const { registration } = random.pick(withTool as [Member, ...Member[]]);
    Object.assign(registration, { replicas: random.whole(1, 2), strategy: "fresh_per_call" });
    return [{ agent: registration.name, replicas: registration.replicas }];
  }

  #worker({ agent, claim, attempt }: WorkerJob, container: string): WorkerMain {
    const { registration } =
      this.scenario.members.find((one) => one.registration.name === agent) ?? {};
    const tool = this.tools.get(agent);
    if (registration === undefined || tool === undefined)
      throw new Error(`The agent ${agent} has no tool.`);
    return workerProgram(this.#site, registration, tool, { claim, attempt, container });
  }

  readonly #nextNumber = () => {
    this.#lives += 1;
    return this.#lives;
  };

  #program(name: string, main: Main): Supervised {
    return new Supervised(name, this.scheduler, this.#nextNumber, main);
  }

  #logOf(program: string): JsonLog {
    const trace = this.#trace;
    const write = (level: string, msg: string, fields?: LogFields) => {
      const { error } = fields ?? {};
      if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)
        this.mistakes.push(`${program}: ${msg}: ${error.message}`);
      trace?.(
        `${(this.scheduler.nowMs / 1_000).toFixed(6)} ${program} says ${level} ${msg} ${textOf(fields)}`,
      );
    };
    const log: JsonLog = {
      info: (msg, fields) => write("info", msg, fields),
      warn: (msg, fields) => write("warn", msg, fields),
      error: (msg, fields) => write("error", msg, fields),
      with: () => log,
    };
    return log;
  }
}

function textOf(fields: LogFields = {}): string {
  return JSON.stringify(fields, (_, value) => (value instanceof Error ? value.message : value));
}
