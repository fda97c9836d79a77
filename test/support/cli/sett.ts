// A whole sett in this process on one real Redis, with `sett` as the program.
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { BidRule } from "../../../lib/model/bid.ts";
import type { ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { waitFor } from "../wait-for.ts";
import { Clan, type Member } from "../world/clan.ts";
import { placeInRedis } from "../world/redis-place.ts";
import { type Tool, untilStopped } from "../world/tool.ts";
import type { Finished } from "./finished.ts";
import type { Workspace } from "./workspace.ts";

export class Sett extends Clan {
  readonly instance: InstanceName;
  readonly #at: Workspace;

  private constructor(at: Workspace, place: ReturnType<typeof placeInRedis>, board: Blackboard) {
    super(place, board);
    this.#at = at;
    this.instance = place.instance;
  }

  /** A clan with an orchestrator, on an instance of its own. */
  static async start(at: Workspace, members: Record<string, Member>): Promise<Sett> {
    const place = placeInRedis(at.redis);
    const sett = new Sett(at, place, await place.open());
    await sett.join(members);
    await sett.untilLed();
    return sett;
  }

  /** Starts an orchestrator, and resolves when it leads. */
  async untilLed(): Promise<void> {
    await this.startOrchestrator();
    await waitFor(
      "an orchestrator to lead",
      async () => ((await this.board.readLeader())?.expiresInMs ?? 0) > 0,
    );
  }

  /** Stops the orchestrator, and resolves when the leader lease is free. */
  async untilUnled(): Promise<void> {
    this.stopOrchestrator();
    await waitFor(
      "the leader lease to be free",
      async () => ((await this.board.readLeader())?.expiresInMs ?? 0) <= 0,
    );
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

  goal(payload = "Do it"): Promise<Artefact> {
    return this.postGoal(payload, { metadata: { summary: payload } });
  }

  /** Waits until the agent's grant on the artefact's claim is in this state. */
  grant(
    artefact: Artefact,
    agent: string,
    state: Grant["state"],
    cause = "standard",
  ): Promise<Grant> {
    return waitFor(`the grant of ${agent} to be ${state}`, async () => {
      const { grants } = await this.claimOn(artefact, cause);
      return grants.find((grant) => grant.agent === agent && grant.state === state);
    });
  }

  ended(
    artefact: Artefact,
    status: "complete" | "terminated",
    cause = "standard",
  ): Promise<ClaimSnapshot> {
    return waitFor(`the claim to be ${status}`, async () => {
      const snapshot = await this.claimOn(artefact, cause);
      return snapshot.claim.status === status ? snapshot : undefined;
    });
  }

  async eventTypes(from = "0"): Promise<string[]> {
    return (await this.board.readEvents(from, 1_000)).map(({ type }) => type);
  }

  async stateOf(goal: Artefact): Promise<string> {
    return JSON.parse(await this.need("status", "--json", "--goal", goal.id)).goals[0].state;
  }
}

/** A tool that works until it is stopped, with promises for both. */
export function endless() {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const tool: Tool = async (_input, signal) => {
    begun.resolve();
    const end = await untilStopped(signal);
    stopped.resolve();
    return end;
  };
  return { tool, begun: begun.promise, stopped: stopped.promise };
}

/** Makes what a tool answers. */
export const report = (type: string, over: object = {}) => ({
  artefact_type: type,
  artefact_payload: type.toLowerCase(),
  summary: `A ${type}`,
  ...over,
});

/** An agent's rules. */
export const bids = (...rules: BidRule[]) => ({ bids: rules });
export const onGoal = (bid: BidRule["bid"]) => bids({ on: "GoalDefined", bid });
