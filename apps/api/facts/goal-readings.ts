// The state of goals, read once and kept until it changes.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { type GoalCost, readGoalCost, readGoalCosts } from "../../../lib/client/facts/costs.ts";
import {
  failuresOf,
  goalSummary,
  orUnreadable,
  readGoalState,
} from "../../../lib/client/facts/goal.ts";
import { graphJson, readGraph } from "../../../lib/client/facts/graph.ts";
import type { ArtefactGraph } from "../../../lib/core/artefact-graph.ts";
import type { Cost } from "../../../lib/core/call-costs.ts";
import { type GoalRevert, goalReverts } from "../../../lib/core/goal-reverts.ts";
import type { GoalStatus } from "../../../lib/core/goal-status.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import type { EventHub } from "../events/hub.ts";
import { KeptUntilEvent } from "./kept-until-event.ts";

/** A reading is what is shown of a goal, without the heads of its artefacts. */
export type GoalFacts = {
  goal: GoalId;
  status: GoalStatus;
  summary: string;
  created_at: string;
  artefacts: number;
  unreadable: ArtefactId[];
  failures: ArtefactHead[];
  commit: string | undefined;
  trigger: string | undefined;
  person: string | undefined;
  reverts: GoalRevert[];
  cost: GoalCost | undefined;
};

const minGoals = 1_000;
const minCosts = 100;
/** A graph has every artefact of its goal: only some are kept, and no very large ones. */
const minGraphs = 8;
const maxNodesKept = 20_000;

type Costs = ReadonlyMap<ArtefactId, Cost>;

export class GoalReadings {
  readonly #board: PersonBlackboard;
  readonly #facts: KeptUntilEvent<GoalFacts>;
  readonly #costs: KeptUntilEvent<Costs>;
  readonly #graphs: KeptUntilEvent<{ graph: ArtefactGraph; json: string }>;

  constructor(board: PersonBlackboard, hub: EventHub, signal: AbortSignal) {
    this.#board = board;
    const shared = { board, hub, signal };
    this.#facts = new KeptUntilEvent({ ...shared, minEntries: minGoals });
    this.#costs = new KeptUntilEvent({ ...shared, minEntries: minCosts });
    this.#graphs = new KeptUntilEvent({ ...shared, minEntries: minGraphs });
  }

  /** Returns them in the order of `goals`; what a caller has written before is in what it reads. */
  async read(goals: readonly GoalId[]): Promise<GoalFacts[]> {
    const facts = await this.#facts.read(goals, (goal) => this.#factsOf(goal));
    return await Promise.all(facts.map((one) => this.#withCost(one)));
  }

  /** Returns what the artefacts of a goal have cost; empty where no gateway has ever run. */
  async costs(goal: GoalId): Promise<Costs> {
    const [costs] = await this.#costs.read([goal], async () => {
      if ((await this.#board.readGateway()) === undefined) return new Map();
      return (await readGoalCosts(this.#board, goal))?.artefacts ?? new Map();
    });
    return costs ?? new Map();
  }

  /** `json`: the whole graph as the API answers it. */
  async graph(goal: GoalId): Promise<{ graph: ArtefactGraph; json: string }> {
    const readOne = async () => {
      const graph = await readGraph(this.#board, goal);
      return { graph, json: JSON.stringify(graphJson(graph)) };
    };
    const [found] = await this.#graphs.read(
      [goal],
      readOne,
      ({ graph }) => graph.nodes.length <= maxNodesKept,
    );
    return found ?? (await readOne());
  }

  async #factsOf(goal: GoalId): Promise<GoalFacts> {
    const reading = await orUnreadable(goal, async () => {
      const [state, spent] = await Promise.all([
        readGoalState(this.#board, goal),
        readGoalCost(this.#board, goal),
      ]);
      return { ...state, cost: spent };
    });
    const { artefacts, status, cost } = reading;
    const first = artefacts.find(({ id }) => String(id) === String(goal));
    return {
      ...{ goal, status, cost, summary: goalSummary(reading), failures: failuresOf(reading) },
      created_at: (first ?? artefacts[0])?.created_at ?? new Date(0).toISOString(),
      ...{ artefacts: reading.count, unreadable: reading.unreadable },
      reverts: goalReverts(artefacts),
      ...{ commit: first?.metadata.commit, trigger: reading.trigger, person: reading.person },
    };
  }

  /** Calls that begin make no event. */
  async #withCost(facts: GoalFacts): Promise<GoalFacts> {
    const { state } = facts.status;
    const isUnreadable = facts.unreadable.some((id) => String(id) === String(facts.goal));
    if (isUnreadable || (state !== "running" && state !== "waiting")) return facts;
    return { ...facts, cost: await readGoalCost(this.#board, facts.goal) };
  }
}
