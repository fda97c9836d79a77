// The world of most tests: orchestrators and agents in this process, on one blackboard. An agent is
// a cub whose tool is a function of the test or a shell script, or it is played by the test without
// a cub.
import process from "node:process";
import { Cub } from "../../../apps/cub/cub.ts";
import type { Deps as CubDeps } from "../../../apps/cub/program/deps.ts";
import { OwnRegistration } from "../../../apps/cub/program/own-registration.ts";
import { openRemarkFile } from "../../../apps/cub/tool/remark-file.ts";
import type { CandidateDeps } from "../../../apps/orchestrator/orchestrator.ts";
import { Orchestrator } from "../../../apps/orchestrator/orchestrator.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { byMail } from "../../../lib/blackboard/mail/by-mail.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import { AgentName } from "../../../lib/model/ids.ts";
import { defaultPolicy, type Policy } from "../../../lib/model/policy.ts";
import { ToolInput } from "../../../lib/model/tool-contract.ts";
import { runCommand } from "../../../lib/process/run-command.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { sampleAgent, sampleArtefact } from "../records/sample.ts";
import { type Patience, waitFor } from "../wait-for.ts";
import { cubDeps, orchestratorDeps } from "./deps.ts";
import type { Place } from "./place.ts";
import { type Behaviour, playAgent } from "./played-agent.ts";
import { outcomeOf, type Tool } from "./tool.ts";

/**
 * A member with none of the first three is registered and sends no heartbeat: a person, or an agent
 * that is silent. `worker`: the tool is Sett's own worker, with a model.
 */
export type Member = Partial<AgentRegistration> & {
  tool?: Tool;
  script?: string;
  behaviour?: Behaviour;
  worker?: true;
};
export type ClanOptions = {
  policy?: Partial<Policy>;
  workers?: CandidateDeps["workers"];
  /** The time that contact must have lasted before a lapsed lease is judged. */
  contactMs?: number;
};

const someModel = {
  gatewayUrl: "http://127.0.0.1:9",
  model: "some-model",
  provider: "openai",
  name: "strong",
} as const;

export class Clan implements AsyncDisposable {
  readonly board: Blackboard;
  /** For a wait that fails: with what is last on record. */
  readonly patience: Patience = { everyMs: 20, happened: () => this.#lastEvents() };
  /** Holds what each tool was given, in order. */
  readonly inputs = new Map<string, ToolInput[]>();
  /** The lines that its orchestrators have logged. */
  readonly log: string[] = [];
  readonly #place: Place;
  readonly #options: ClanOptions;
  readonly #over = new AbortController();
  readonly #running: Promise<unknown>[] = [];
  readonly #cubs = new Map<string, AbortController>();
  #orchestrator = new AbortController();

  constructor(place: Place, board: Blackboard, options: ClanOptions = {}) {
    this.board = board;
    this.#place = place;
    this.#options = options;
  }

  /** Registers the members and starts what runs for them. */
  async join(members: Record<string, Member>): Promise<void> {
    const agents = Object.entries(members).map(
      ([name, { tool: _tool, script: _script, worker: _worker, behaviour, ...over }]) =>
        // A behaviour decides its bids, as a command would.
        sampleAgent(name, {
          ...(behaviour && !over.external && { bids_by_command: true as const }),
          ...over,
        }),
    );
    await this.board.registerAgents(agents, "person:test", { exact: true });
    for (const { name } of agents) {
      const { tool, script, behaviour, worker } = members[name] ?? {};
      const work = tool ?? script;
      if (work !== undefined)
        await this.startCub(name, work, worker && { worker: "worker", model: someModel });
      if (behaviour !== undefined) await this.#play(name, behaviour);
    }
  }

  async startOrchestrator(over: Partial<CandidateDeps> = {}) {
    const { policy, workers, contactMs } = this.#options;
    const own = new AbortController();
    this.#orchestrator = own;
    const board = await this.#place.open();
    const deps = orchestratorDeps({
      board,
      policy: { ...defaultPolicy, ...policy },
      log: createJsonLog((line) => this.log.push(line), systemClock.now),
      ...(workers && { workers }),
      ...over,
    });
    const orchestrator = new Orchestrator(deps, contactMs === undefined ? {} : { contactMs });
    const ended = orchestrator.run(AbortSignal.any([this.#over.signal, own.signal]));
    this.#run(board, ended);
    return {
      metrics: deps.metrics,
      /**
       * To the blackboard this is the end of its process: it releases the leader lease and drops
       * what it had in hand.
       */
      stop: async () => {
        own.abort();
        await ended;
      },
    };
  }

  /** Stops the newest. It releases the leader lease, and the next one takes over at once. */
  stopOrchestrator(): void {
    this.#orchestrator.abort();
  }

  async startCub(name: string, work: Tool | string, over: Partial<CubDeps> = {}): Promise<void> {
    const agent = AgentName.parse(name);
    const board = byMail(await this.#place.open(), { agent });
    const registration = await board.findAgent(agent);
    if (registration === undefined) throw new Error(`There is no agent ${name}.`);
    const runTool = typeof work === "string" ? shell(work) : this.#runner(name, work);
    const deps = cubDeps({
      board,
      registration: new OwnRegistration(registration),
      runTool,
      openRemarks: async () => await openRemarkFile({ hasKey: false }),
      ...over,
    });
    const stop = new AbortController();
    this.#cubs.set(name, stop);
    this.#run(
      board,
      new Cub(deps, { shutdownTimeoutMs: 0 }).run(
        AbortSignal.any([this.#over.signal, stop.signal]),
      ),
    );
  }

  stopCub(name: string): void {
    this.#cubs.get(name)?.abort();
  }

  async postGoal(payload = "hello", over: Partial<Artefact> = {}): Promise<Artefact> {
    const goal = sampleArtefact({ payload, ...over });
    await this.board.createArtefact(goal, "person:test");
    return goal;
  }

  /** The goal's, itself the first. */
  async artefactsOf({ goal_id }: Pick<Artefact, "goal_id">): Promise<Artefact[]> {
    return this.board.readArtefacts(await this.board.listArtefactsOfGoal(goal_id));
  }

  /** The first artefact made for the goal that is like this, once it is there. */
  made(
    goal: Artefact,
    like: (artefact: Artefact) => boolean,
    what = "the artefact",
  ): Promise<Artefact> {
    const isIt = (artefact: Artefact) => artefact.id !== goal.id && like(artefact);
    return waitFor(what, async () => (await this.artefactsOf(goal)).find(isIt), this.patience);
  }

  /** The claim on an artefact, once it is there. */
  claimOn({ id }: Pick<Artefact, "id">, cause = "standard"): Promise<ClaimSnapshot> {
    const look = async () => {
      const claim = (await this.board.claimsOfArtefact(id)).get(cause);
      return claim && (await this.board.readClaim(claim));
    };
    return waitFor("the claim", look, this.patience);
  }

  /** Resolves when the orchestrators have logged a line with `words` so often. */
  async logged(words: string, count = 1): Promise<void> {
    await waitFor(
      `"${words}" in the log`,
      () => this.log.filter((line) => line.includes(words)).length >= count,
    );
  }

  async #lastEvents(): Promise<string> {
    const events = (await this.board.readEvents("0", 1_000)).slice(-30);
    return events
      .map(({ type, agent, claim_id, data }) =>
        [type, agent, claim_id?.slice(0, 8), JSON.stringify(data)].join(" "),
      )
      .join("; ");
  }

  async #play(name: string, behaviour: Behaviour): Promise<void> {
    const board = await this.#place.open();
    this.#run(board, playAgent(board, name, behaviour, this.#over.signal));
  }

  #runner(name: string, tool: Tool): CubDeps["runTool"] {
    const inputs = this.inputs.get(name) ?? [];
    this.inputs.set(name, inputs);
    return async ({ stdin, signal, variables }) => {
      const input = ToolInput.parse(JSON.parse(stdin));
      inputs.push(input);
      return outcomeOf(await tool(input, signal, variables?.OPENAI_API_KEY));
    };
  }

  #run(board: AsyncDisposable, running: Promise<unknown>): void {
    this.#running.push(running.catch(() => undefined).finally(() => board[Symbol.asyncDispose]()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort("the test is over");
    await Promise.all(this.#running);
    await this.board[Symbol.asyncDispose]();
  }
}

function shell(script: string): CubDeps["runTool"] {
  return ({ remarks, ...order }) =>
    runCommand({
      ...order,
      command: ["/bin/sh", "-c", script],
      cwd: "/",
      env: { PATH: process.env.PATH ?? "", ...remarks },
    });
}
