// An orchestrator and cubs in this process on one blackboard. Their tools are functions of the test, or shell scripts.
import process from "node:process";
import { Cub } from "../../../apps/cub/cub.ts";
import type { Deps as CubDeps } from "../../../apps/cub/deps.ts";
import { OwnRegistration } from "../../../apps/cub/own-registration.ts";
import type { Deps } from "../../../apps/orchestrator/deps.ts";
import { Orchestrator } from "../../../apps/orchestrator/orchestrator.ts";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import { AgentName } from "../../../lib/model/ids.ts";
import { defaultPolicy, type Policy } from "../../../lib/model/policy.ts";
import { ToolInput } from "../../../lib/model/tool-contract.ts";
import { runCommand } from "../../../lib/process/run-command.ts";
import { sampleAgent, sampleArtefact } from "../records/sample.ts";
import { waitFor } from "../wait-for.ts";
import { outcomeOf, type Tool } from "./tool.ts";
import { cubDeps, orchestratorDeps } from "./wired.ts";

/** With neither it is registered and sends no heartbeat: a person, or an agent that is silent. */
export type Member = Partial<AgentRegistration> & { tool?: Tool; script?: string };
export type ClanOptions = {
  policy?: Partial<Policy>;
  workers?: Deps["workers"];
  /** How long contact must have lasted before a lapsed lease is judged. */
  grantLeaseMs?: number;
};

const patience = { everyMs: 20 };

export class Clan implements AsyncDisposable {
  readonly board: Blackboard;
  /** What each tool was given, in order. */
  readonly inputs = new Map<string, ToolInput[]>();
  readonly #open: () => Promise<Blackboard>;
  readonly #options: ClanOptions;
  readonly #over = new AbortController();
  readonly #running: Promise<unknown>[] = [];
  readonly #cubs = new Map<string, AbortController>();
  #orchestrator = new AbortController();

  /** `open`: another handle on the blackboard of `board`, as another process would have. */
  constructor(board: Blackboard, open: () => Promise<Blackboard>, options: ClanOptions = {}) {
    this.board = board;
    this.#open = open;
    this.#options = options;
  }

  /** Registers the members and starts what runs for them. */
  async join(members: Record<string, Member>): Promise<void> {
    const agents = Object.entries(members).map(([name, { tool: _tool, script: _script, ...over }]) => sampleAgent(name, over));
    await this.board.registerAgents(agents, "person:test", { exact: true });
    for (const { name } of agents) {
      const { tool, script } = members[name] ?? {};
      const work = tool ?? script;
      if (work !== undefined) await this.startCub(name, work);
    }
  }

  async startOrchestrator(): Promise<void> {
    const { policy, workers, grantLeaseMs } = this.#options;
    this.#orchestrator = new AbortController();
    const board = await this.#open();
    const given = { board, policy: { ...defaultPolicy, ...policy }, ...(workers === undefined ? {} : { workers }) };
    const orchestrator = new Orchestrator(orchestratorDeps(given), grantLeaseMs === undefined ? {} : { grantLeaseMs });
    this.#run(board, orchestrator.run(AbortSignal.any([this.#over.signal, this.#orchestrator.signal])));
  }

  /** It leaves the leader lease; the next one takes over at once. */
  stopOrchestrator(): void {
    this.#orchestrator.abort();
  }

  async startCub(name: string, work: Tool | string): Promise<void> {
    const board = await this.#open();
    const registration = await board.findAgent(AgentName.parse(name));
    if (registration === undefined) throw new Error(`There is no agent ${name}.`);
    const runTool = typeof work === "string" ? shell(work) : this.#runner(name, work);
    const deps = cubDeps({ board, registration: new OwnRegistration(registration), runTool });
    const stop = new AbortController();
    this.#cubs.set(name, stop);
    this.#run(board, new Cub(deps, { shutdownTimeoutMs: 0 }).run(AbortSignal.any([this.#over.signal, stop.signal])));
  }

  stopCub(name: string): void {
    this.#cubs.get(name)?.abort();
  }

  async state(payload = "hello", over: Partial<Artefact> = {}): Promise<Artefact> {
    const goal = sampleArtefact({ payload, ...over });
    await this.board.createArtefact(goal, "person:test");
    return goal;
  }

  /** The goal's, itself the first. */
  async artefactsOf({ goal_id }: Pick<Artefact, "goal_id">): Promise<Artefact[]> {
    return this.board.readArtefacts(await this.board.listArtefactsOfGoal(goal_id));
  }

  /** The first artefact made for the goal that is like this, once it is there. */
  made(goal: Artefact, like: (artefact: Artefact) => boolean, what = "the artefact"): Promise<Artefact> {
    const isIt = (artefact: Artefact) => artefact.id !== goal.id && like(artefact);
    return waitFor(what, async () => (await this.artefactsOf(goal)).find(isIt), patience);
  }

  /** The claim on an artefact, once it is there. */
  claimOn({ id }: Artefact, cause = "standard"): Promise<ClaimSnapshot> {
    const look = async () => {
      const claim = (await this.board.claimsOfArtefact(id)).get(cause);
      return claim && (await this.board.readClaim(claim));
    };
    return waitFor("the claim", look, patience);
  }

  #runner(name: string, tool: Tool): CubDeps["runTool"] {
    const given = this.inputs.get(name) ?? [];
    this.inputs.set(name, given);
    return async ({ stdin, signal }) => {
      const input = ToolInput.parse(JSON.parse(stdin));
      given.push(input);
      return outcomeOf(await tool(input, signal));
    };
  }

  #run(board: Blackboard, running: Promise<unknown>): void {
    this.#running.push(running.catch(() => undefined).finally(() => board[Symbol.asyncDispose]()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort("the test is over");
    await Promise.all(this.#running);
    await this.board[Symbol.asyncDispose]();
  }
}

function shell(script: string): CubDeps["runTool"] {
  return (order) => runCommand({ ...order, command: ["/bin/sh", "-c", script], cwd: "/", env: { PATH: process.env.PATH ?? "" } });
}
