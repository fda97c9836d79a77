// An orchestrator and cubs in this process on one blackboard, with tools that are functions of the test.
import { Cub } from "../../apps/cub/cub.ts";
import { OwnRegistration } from "../../apps/cub/own-registration.ts";
import type { Parts } from "../../apps/cub/parts.ts";
import { Orchestrator } from "../../apps/orchestrator/orchestrator.ts";
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { goalStatus } from "../../lib/core/goal-status.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { ClaimId, GoalId } from "../../lib/model/ids.ts";
import { defaultPolicy, type Policy } from "../../lib/model/policy.ts";
import { ToolInput } from "../../lib/model/tool-contract.ts";
import { sampleAgent, sampleArtefact } from "./sample.ts";
import { waitFor } from "./wait-for.ts";
import { cubParts, orchestratorParts } from "./wired.ts";

/** What the tool prints, as an object; the signal aborts when its grant is taken away. */
export type ToolFunction = (input: ToolInput, signal: AbortSignal) => unknown;
/** Without a tool nothing runs for it. */
export type Member = Partial<AgentRegistration> & { tool?: ToolFunction };

const encode = (value: unknown) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

export class InProcessClan implements AsyncDisposable {
  readonly #open: () => Promise<Blackboard>;
  readonly #policy: Policy;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>[] = [];
  readonly #cubs = new Map<string, AbortController>();
  #orchestrator: AbortController | undefined;
  readonly board: Blackboard;
  /** What each tool was given, in order. */
  readonly inputs = new Map<string, ToolInput[]>();

  private constructor(open: () => Promise<Blackboard>, board: Blackboard, policy: Partial<Policy>) {
    this.#open = open;
    this.board = board;
    this.#policy = { ...defaultPolicy, ...policy };
  }

  /** `open`: another handle on the same blackboard, as another process would have. */
  static async start(open: () => Promise<Blackboard>, members: Record<string, Member>, policy: Partial<Policy> = {}) {
    const clan = new InProcessClan(open, await open(), policy);
    const agents = Object.entries(members).map(([name, { tool: _tool, ...over }]) => sampleAgent(name, over));
    await clan.board.registerAgents(agents, "person:test", { exact: true });
    for (const [name, { tool }] of Object.entries(members)) if (tool !== undefined) await clan.startCub(name, tool);
    await clan.startOrchestrator();
    return clan;
  }

  async startOrchestrator(): Promise<void> {
    this.#orchestrator = new AbortController();
    const board = await this.#open();
    const orchestrator = new Orchestrator(orchestratorParts({ board, policy: this.#policy }), { grantLeaseMs: 0 });
    this.#run(orchestrator.run(AbortSignal.any([this.#stop.signal, this.#orchestrator.signal])), board);
  }

  /** It leaves the seat; the next one takes over at once. */
  stopOrchestrator(): void {
    this.#orchestrator?.abort();
  }

  async startCub(name: string, tool: ToolFunction): Promise<void> {
    const board = await this.#open();
    const registration = (await board.listAgents()).find((agent) => agent.name === name);
    if (registration === undefined) throw new Error(`There is no agent ${name}.`);
    const given = this.inputs.get(name) ?? [];
    this.inputs.set(name, given);
    const runTool: Parts["runTool"] = async ({ stdin, signal }) => {
      const input = ToolInput.parse(JSON.parse(stdin));
      given.push(input);
      const answer = await tool(input, signal);
      const isFailed = answer instanceof Error;
      const stdout = isFailed ? new Uint8Array() : encode(answer);
      const stderr = isFailed ? encode(answer.message) : new Uint8Array();
      return { kind: "exited", exitCode: isFailed ? 1 : 0, signal: null, stdout, stderr, durationMs: 1 };
    };
    const cub = new Cub(cubParts({ board, registration: new OwnRegistration(registration), runTool }), {
      shutdownTimeoutMs: 1_000,
    });
    const stop = new AbortController();
    this.#cubs.set(name, stop);
    this.#run(cub.run(AbortSignal.any([this.#stop.signal, stop.signal])), board);
  }

  stopCub(name: string): void {
    this.#cubs.get(name)?.abort();
  }

  async state(goal: Artefact, over: Partial<Artefact> = {}): Promise<Artefact> {
    const stated = { ...goal, ...over };
    await this.board.createArtefact(stated, "person:test");
    return stated;
  }

  async stateGoal(over: Partial<Artefact> = {}): Promise<Artefact> {
    return this.state(sampleArtefact(over));
  }

  async artefactsOf(goal: GoalId): Promise<Artefact[]> {
    return this.board.readArtefacts(await this.board.listArtefactsOfGoal(goal));
  }

  /** The first artefact of the goal that is like this, once it is there. */
  async artefact(goal: GoalId, like: (artefact: Artefact) => boolean): Promise<Artefact> {
    return waitFor("the artefact", async () => (await this.artefactsOf(goal)).find(like), { timeoutMs: 10_000 });
  }

  async status(goal: GoalId) {
    const { board } = this;
    const [record, artefacts, asked] = [
      await board.readGoal(goal),
      await this.artefactsOf(goal),
      await board.listOpenQuestions(),
    ];
    const causes = new Map<Artefact["id"], Map<string, ClaimId>>();
    for (const { id } of artefacts) causes.set(id, await board.claimsOfArtefact(id));
    const claims = await board.readClaims([...causes.values()].flatMap((ofArtefact) => [...ofArtefact.values()]));
    return goalStatus({ goal, ended: record.ended, artefacts, causes, claims, asked: new Set(asked) });
  }

  /** Waits until the goal has this state. */
  async reaches(goal: GoalId, state: string): Promise<void> {
    await waitFor(`the goal ${state}`, async () => (await this.status(goal)).state === state, { timeoutMs: 10_000 });
  }

  #run(running: Promise<unknown>, board: Blackboard): void {
    this.#running.push(running.catch(() => undefined).finally(() => board[Symbol.asyncDispose]()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    await this.board[Symbol.asyncDispose]();
  }
}
