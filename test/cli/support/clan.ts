// A whole sett on one real Redis: an orchestrator and cubs in this process, whose tools are functions of the test; `sett` is the program.
import { randomUUID } from "node:crypto";
import { Cub } from "../../../apps/cub/cub.ts";
import { OwnRegistration } from "../../../apps/cub/own-registration.ts";
import type { Parts } from "../../../apps/cub/parts.ts";
import { Orchestrator } from "../../../apps/orchestrator/orchestrator.ts";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { ToolInput } from "../../../lib/model/tool-contract.ts";
import type { CommandOutcome } from "../../../lib/process/command.ts";
import { exited, type Tool } from "../../cub/support/scene.ts";
import { sampleAgent, sampleArtefact } from "../../support/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { cubParts, orchestratorParts } from "../../support/wired.ts";
import type { Finished } from "./sett-process.ts";
import type { Workspace } from "./workspace.ts";

/** One without a tool is not started: a person, or somebody who keeps silent. */
export type Member = Partial<AgentRegistration> & { tool?: Tool };

export class Clan implements AsyncDisposable {
  readonly board: Blackboard;
  readonly instance: InstanceName;
  readonly #at: Workspace;
  readonly #ending = new AbortController();
  readonly #running: Promise<unknown>[] = [];
  #orchestrator = new AbortController();

  private constructor(at: Workspace, instance: InstanceName, board: Blackboard) {
    this.#at = at;
    this.instance = instance;
    this.board = board;
  }

  /** An instance of its own. */
  static async gather(at: Workspace, members: Record<string, Member>, options: { isOrchestrated?: boolean } = {}): Promise<Clan> {
    const instance = InstanceName.parse(`t-${randomUUID().slice(0, 8)}`);
    const board = await connectBlackboard({ url: at.redis.url, instance });
    const clan = new Clan(at, instance, board);
    const agents = Object.entries(members).map(([name, { tool, ...over }]) => ({ tool, registration: sampleAgent(name, over) }));
    const registrations = agents.map(({ registration }) => registration);
    await board.registerAgents(registrations, "person:test", { exact: true });
    for (const { tool, registration } of agents) if (tool !== undefined) await clan.#start(registration, tool);
    if (options.isOrchestrated !== false) await clan.orchestrate();
    return clan;
  }

  /** Starts an orchestrator; one that has left is followed by another. */
  async orchestrate(): Promise<void> {
    this.#orchestrator = new AbortController();
    const board = await connectBlackboard({ url: this.#at.redis.url, instance: this.instance });
    const orchestrator = new Orchestrator(orchestratorParts({ board }));
    const signal = AbortSignal.any([this.#orchestrator.signal, this.#ending.signal]);
    this.#running.push(orchestrator.run(signal).finally(() => board[Symbol.asyncDispose]()));
    await waitFor("somebody to orchestrate", async () => ((await this.board.readSeat())?.expiresInMs ?? 0) > 0);
  }

  async stopOrchestrating(): Promise<void> {
    this.#orchestrator.abort("stopped");
    await waitFor("the seat to be free", async () => ((await this.board.readSeat())?.expiresInMs ?? 0) <= 0);
  }

  sett(...words: string[]): Promise<Finished> {
    return this.#at.sett(...words, "--name", this.instance);
  }

  need(...words: string[]): Promise<string> {
    return this.#at.need(...words, "--name", this.instance);
  }

  start(...words: string[]) {
    return this.#at.start(...words, "--name", this.instance);
  }

  async goal(payload = "Do it"): Promise<Artefact> {
    const goal = sampleArtefact({ payload, metadata: { summary: payload } });
    await this.board.createArtefact(goal, "person:test");
    return goal;
  }

  /** The first artefact of the goal that is like this. */
  made(goal: Artefact, like: (artefact: Artefact) => boolean, what = "an artefact"): Promise<Artefact> {
    return waitFor(what, async () => {
      const all = await this.board.readArtefacts(await this.board.listArtefactsOfGoal(goal.goal_id));
      return all.find((artefact) => artefact.id !== goal.id && like(artefact));
    });
  }

  async claimOn({ id }: Artefact, cause = "standard"): Promise<ClaimSnapshot> {
    const claim = await waitFor("its claim", async () => (await this.board.claimsOfArtefact(id)).get(cause));
    return await waitFor("the claim", () => this.board.readClaim(claim));
  }

  /** Waits until the agent's grant on the artefact's claim is in this state. */
  grant(artefact: Artefact, agent: string, state: Grant["state"], cause = "standard"): Promise<Grant> {
    return waitFor(`the grant of ${agent} to be ${state}`, async () => {
      const { grants } = await this.claimOn(artefact, cause);
      return grants.find((grant) => grant.agent === agent && grant.state === state);
    });
  }

  ended(artefact: Artefact, status: "complete" | "terminated", cause = "standard"): Promise<ClaimSnapshot> {
    return waitFor(`the claim to be ${status}`, async () => {
      const snapshot = await this.claimOn(artefact, cause);
      return snapshot.claim.status === status ? snapshot : undefined;
    });
  }

  async state(goal: Artefact): Promise<string> {
    return JSON.parse(await this.need("status", "--json", "--goal", goal.id)).goals[0].state;
  }

  async #start(registration: AgentRegistration, tool: Tool): Promise<void> {
    const board = await connectBlackboard({ url: this.#at.redis.url, instance: this.instance });
    const runTool: Parts["runTool"] = async ({ stdin, signal }) =>
      outcomeOf(await tool(ToolInput.parse(JSON.parse(stdin)), signal));
    const parts = cubParts({ board, registration: new OwnRegistration(registration), runTool });
    const cub = new Cub(parts, { shutdownTimeoutMs: 0 });
    this.#running.push(cub.run(this.#ending.signal).finally(() => board[Symbol.asyncDispose]()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort("the test is over");
    await Promise.allSettled(this.#running);
    await this.board[Symbol.asyncDispose]();
  }
}

/** As of a process: an object is what it wrote to stdout. */
function outcomeOf(answer: unknown): CommandOutcome {
  const isOutcome = typeof answer === "object" && answer !== null && "kind" in answer;
  return isOutcome ? (answer as CommandOutcome) : exited(JSON.stringify(answer));
}

const nothing = new Uint8Array();

/** A tool that works until it is stopped, and tells of both. */
export function endless() {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const tool: Tool = (_input, signal) => {
    begun.resolve();
    return new Promise((resolve) => {
      const end = { kind: "aborted", exitCode: null, signal: "SIGTERM", stdout: nothing, stderr: nothing, durationMs: 5 };
      signal.addEventListener("abort", () => {
        stopped.resolve();
        resolve(end);
      });
    });
  };
  return { tool, begun: begun.promise, stopped: stopped.promise };
}

/** What a tool answers. */
export const report = (type: string, over: object = {}) => ({
  artefact_type: type,
  artefact_payload: type.toLowerCase(),
  summary: `A ${type}`,
  ...over,
});
