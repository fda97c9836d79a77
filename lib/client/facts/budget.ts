// Reads the budget of a goal: its limits, what is spent and reserved, by agent and by model, and
// who was stopped by it.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { type Cost, costOf, costsBy, noCost } from "../../core/call-costs.ts";
import { noAmounts, raised } from "../../model/amounts.ts";
import type { Amounts, Budget } from "../../model/budget.ts";
import { exampleAmount } from "../../model/budget-question.ts";
import type { ArtefactId, GoalId } from "../../model/ids.ts";
import { budgetExceededType, type CallRecord, type Usage } from "../../model/model-call.ts";
import type { ToolCharge } from "../../model/tool-charge.ts";
import { readGoal } from "./goal.ts";

/**
 * `limits`: of each of its grants in this goal, with `added`. `under_way`: its calls that have not
 * ended.
 */
export type AgentSpending = {
  name: string;
  model: string;
  limits: Budget;
  added: Amounts;
  cost: Cost;
  under_way: number;
};
/** `provider`, `answered`: as the calls have them; `is_priced`: as the gateway has it. */
export type ModelSpending = {
  name: string;
  provider: string;
  answered: string[];
  is_priced: boolean;
  cost: Cost;
  usage: Usage;
};

export type ToolSpending = { name: string; calls: number; nanousd: number };

export type BudgetReading = {
  goal: GoalId;
  summary: string;
  /** False where no gateway has started: the limits are not known. */
  isAnnounced: boolean;
  /** The limit of the goal, with `added`. */
  limits: Budget;
  added: Amounts;
  spent: Cost;
  reserved: Amounts;
  under_way: number;
  /** How many of its calls cost what was reckoned, and not what their provider has said. */
  estimated: number;
  agents: AgentSpending[];
  models: ModelSpending[];
  /** Servers of tools with a price. */
  tools: ToolSpending[];
  /** The last thing that stopped for want of budget, where a person can act on it. */
  blocked: { id: ArtefactId; isQuestion: boolean; example: string } | undefined;
};

export async function readBudget(board: PersonBlackboard, goal: GoalId): Promise<BudgetReading> {
  const [gateway, spending, calls, charges, { artefacts: heads, status }, openQuestions] =
    await Promise.all([
      board.readGateway(),
      board.readSpending(goal),
      board.readCalls(goal),
      board.readToolCharges(goal),
      readGoal(board, goal),
      board.listOpenQuestions(),
    ]);
  const { ended, open } = calls;
  const byAgent = costsBy(ended, ({ agent }) => String(agent));
  const agentNames = new Set([
    ...Object.keys(gateway?.agents ?? {}),
    ...byAgent.keys(),
    ...charges.map(({ agent }) => String(agent)),
    ...open.map(({ agent }) => String(agent)),
  ]);
  const addedOfAgents = new Map(
    [...spending.addedOfAgents].map(([agent, added]) => [String(agent), added]),
  );
  const last = heads.filter(({ type }) => type === budgetExceededType).at(-1);
  const isQuestion = last?.structural_type === "Question";
  const refusal = spending.refusals.findLast(
    ({ agent, claim_id }) => agent === last?.produced_by_agent && claim_id === last.claim_id,
  );
  const isBlocked =
    last !== undefined &&
    refusal !== undefined &&
    (isQuestion ? openQuestions.includes(last.id) : status.failures.includes(last.id));
  return {
    goal,
    summary: heads.find(({ id }) => String(id) === String(goal))?.metadata.summary ?? "",
    isAnnounced: gateway !== undefined,
    limits: raised(gateway?.goal_budget ?? {}, spending.added),
    added: spending.added,
    // The calls say what the sums do not: which prices are not known.
    spent: { ...costOf(ended), ...spending.spent },
    reserved: spending.reserved,
    under_way: open.length,
    estimated: ended.filter((call) => call.is_estimated && call.cost.calls > 0).length,
    agents: [...agentNames].sort().map((name) => {
      const settings = gateway?.agents[name];
      const added = addedOfAgents.get(name) ?? noAmounts;
      return {
        name,
        model: settings?.model ?? ended.findLast(({ agent }) => agent === name)?.model ?? "",
        limits: raised(settings?.budget ?? {}, added),
        added,
        cost: withTools(byAgent.get(name) ?? noCost, charges, name),
        under_way: open.filter(({ agent }) => agent === name).length,
      };
    }),
    models: modelsOf(ended, (name) => gateway?.models[name]),
    tools: toolsOf(charges),
    blocked: isBlocked ? { id: last.id, isQuestion, example: exampleAmount(refusal) } : undefined,
  };
}

function withTools(cost: Cost, charges: readonly ToolCharge[], name: string): Cost {
  const own = charges.filter(({ agent }) => agent === name);
  return { ...cost, nanousd: cost.nanousd + sumOf(own) };
}

function toolsOf(charges: readonly ToolCharge[]): ToolSpending[] {
  const byServer = [...Map.groupBy(charges, ({ server }) => server)];
  return byServer
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, own]) => ({ name, calls: own.length, nanousd: sumOf(own) }));
}

function sumOf(charges: readonly ToolCharge[]): number {
  return charges.reduce((sum, { nanousd }) => sum + nanousd, 0);
}

type KnownModel = { provider: string; is_priced: boolean } | undefined;

function modelsOf(
  calls: readonly CallRecord[],
  knownOf: (name: string) => KnownModel,
): ModelSpending[] {
  return [...costsBy(calls, ({ model }) => model)].map(([name, cost]) => {
    const ofModel = calls.filter(({ model }) => model === name);
    const sum = (kind: keyof Usage) => ofModel.reduce((total, { usage }) => total + usage[kind], 0);
    return {
      name,
      provider: ofModel[0]?.provider ?? knownOf(name)?.provider ?? "",
      answered: [...new Set(ofModel.map(({ answered_model }) => answered_model))]
        .filter((answered) => answered !== "")
        .sort(),
      is_priced: cost.unpriced_calls === 0,
      cost,
      usage: {
        input: sum("input"),
        output: sum("output"),
        cached: sum("cached"),
        cache_write: sum("cache_write"),
        reasoning: sum("reasoning"),
      },
    };
  });
}
