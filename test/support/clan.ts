// A clan at work in this process: a real Redis, a real orchestrator, and real cubs whose commands are shell scripts.
import process from "node:process";
import { Cub } from "../../apps/cub/cub.ts";
import { OwnRegistration } from "../../apps/cub/own-registration.ts";
import type { Parts as CubParts } from "../../apps/cub/parts.ts";
import { Orchestrator } from "../../apps/orchestrator/orchestrator.ts";
import type { Parts } from "../../apps/orchestrator/parts.ts";
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { type ClaimSnapshot, isEnded } from "../../lib/model/claim.ts";
import type { EventType, SettEvent } from "../../lib/model/event.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { defaultPolicy, type Policy } from "../../lib/model/policy.ts";
import { runCommand } from "../../lib/process/run-command.ts";
import { type RedisServer, startRedisServer } from "./redis-server.ts";
import { sampleAgent, sampleArtefact } from "./sample.ts";
import { waitFor } from "./wait-for.ts";
import { cubParts, orchestratorParts } from "./wired.ts";

/** `script`: what its cub runs for each grant; without one it is registered and never heard of. */
export type Member = Partial<AgentRegistration> & { script?: string };

type Options = { policy?: Partial<Policy>; workers?: Parts["workers"] };

const patience = { timeoutMs: 30_000, everyMs: 20 };

export async function startClan(members: Record<string, Member>, { policy = {}, workers }: Options = {}): Promise<Clan> {
  const redis = await startRedisServer();
  const clan = new Clan(redis, await connectBlackboard({ url: redis.url, instance: Clan.instance }));
  const agents = Object.entries(members).map(([name, { script: _, ...over }]) => sampleAgent(name, over));
  await clan.board.registerAgents(agents, "person:Ada", { exact: true });
  for (const agent of agents) {
    const script = members[agent.name]?.script;
    if (script !== undefined) await clan.startCub(agent, script);
  }
  await clan.startOrchestrator({ ...defaultPolicy, ...policy }, workers);
  return clan;
}

export class Clan implements AsyncDisposable {
  static readonly instance = InstanceName.parse("clan");
  readonly redis: RedisServer;
  readonly board: Blackboard;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>[] = [];
  readonly #boards: Blackboard[];

  constructor(redis: RedisServer, board: Blackboard) {
    this.redis = redis;
    this.board = board;
    this.#boards = [board];
  }

  async startCub(agent: AgentRegistration, script: string): Promise<void> {
    const command = ["/bin/sh", "-c", script];
    const env = { PATH: process.env.PATH ?? "" };
    const runTool: CubParts["runTool"] = (order) => runCommand({ ...order, command, cwd: "/", env });
    const parts = cubParts({ board: await this.#connect(), registration: new OwnRegistration(agent), runTool });
    const cub = new Cub(parts, { shutdownTimeoutMs: 0 });
    this.#running.push(cub.run(this.#stop.signal));
  }

  async startOrchestrator(policy: Policy, workers: Parts["workers"]): Promise<void> {
    const parts = orchestratorParts({ policy, board: await this.#connect(), ...(workers === undefined ? {} : { workers }) });
    this.#running.push(new Orchestrator(parts).run(this.#stop.signal));
  }

  /** What a person would type at redis-cli; `name` goes without what all keys of the instance begin with. */
  hand(command: string, name: string, ...words: string[]): Promise<string> {
    return this.redis.cli(command, `sett:${Clan.instance}:${name}`, ...words);
  }

  async state(payload: string, over: Partial<Artefact> = {}): Promise<Artefact> {
    const goal = sampleArtefact({ payload, ...over });
    await this.board.createArtefact(goal, "person:Ada");
    return goal;
  }

  /** The claim on an artefact, once it is there. */
  claimed(artefact: Artefact): Promise<ClaimSnapshot> {
    return waitFor("the claim", () => this.#claimOn(artefact), patience);
  }

  /** Waits until nothing is left to be done about a goal; gives its artefacts, itself the first. */
  async settled(goal: Artefact): Promise<Artefact[]> {
    return await waitFor(
      "the goal to be settled",
      async () => {
        const artefacts = await this.artefactsOf(goal);
        const owed = artefacts.filter(({ structural_type }) => structural_type === "Standard");
        const claims = await Promise.all(owed.map((artefact) => this.#claimOn(artefact)));
        const open = await this.board.readClaims(await this.board.listOpenClaims());
        const isOver = claims.every((snapshot) => snapshot !== undefined && isEnded(snapshot.claim.status));
        if (!isOver || open.some(({ claim }) => claim.goal_id === goal.goal_id)) return undefined;
        // What ends a claim may bring an artefact with it.
        const all = await this.artefactsOf(goal);
        return all.length === artefacts.length && all;
      },
      patience,
    );
  }

  async artefactsOf(goal: Artefact): Promise<Artefact[]> {
    return await this.board.readArtefacts(await this.board.listArtefactsOfGoal(goal.goal_id));
  }

  async events(type: EventType): Promise<SettEvent[]> {
    return (await this.board.readEvents("0", 100_000)).filter((event) => event.type === type);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running);
    for (const board of this.#boards) await board[Symbol.asyncDispose]();
    await this.redis[Symbol.asyncDispose]();
  }

  async #connect(): Promise<Blackboard> {
    const board = await connectBlackboard({ url: this.redis.url, instance: Clan.instance });
    this.#boards.push(board);
    return board;
  }

  async #claimOn(artefact: Artefact): Promise<ClaimSnapshot | undefined> {
    const id = (await this.board.claimsOfArtefact(artefact.id)).get("standard");
    return id && (await this.board.readClaim(id));
  }
}
