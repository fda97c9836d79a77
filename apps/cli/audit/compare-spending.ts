// Compares with the log what counts in the budgets of goals: what their calls have cost, what
// people have added, and who pays. Who knows a password of Redis can set a sum to 0, and the work
// goes on at the cost of another.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { type AmountKind, amountKinds, nanosPerUsd } from "../../../lib/model/amounts.ts";
import type { Amounts } from "../../../lib/model/budget.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { type Payer, payerOfActor } from "../../../lib/model/spending.ts";
import type { Contradiction } from "./compare-record.ts";

type Board = Pick<PersonBlackboard, "readSpending" | "readToolCharges">;

/** `isFree`: a gateway that died had reckoned nothing; the log does not say whether it counted. */
type Call = { cost: Amounts; isFree: boolean };

type GoalByLog = {
  payer: Payer | undefined;
  /** By id. A call that was lost may have ended since: its last event counts. */
  calls: Map<string, Call>;
  /** Nano-dollars of the calls of tools. */
  tools: number;
  /** The additions to the limits of the goal (``) and of each agent. */
  added: Map<string, Amounts>;
};

const goalsAtOnce = 100;

/** Gathers, page by page, what the log says of the budgets of goals. */
export class SpendingByLog {
  readonly #goals = new Map<GoalId, GoalByLog>();

  add({ type, actor, goal_id, artefact_id, agent, data = {} }: SettEvent): void {
    if (goal_id === undefined) return;
    if (type === "artefact_created" && String(artefact_id) === String(goal_id))
      this.#goals.set(goal_id, {
        ...{ payer: payerOfActor(actor), calls: new Map(), tools: 0, added: new Map() },
      });
    const goal = this.#goals.get(goal_id);
    if (goal === undefined) return;
    if (type === "model_called") goal.calls.set(String(data.call), callOf(data));
    if (type === "tool_called") goal.tools += nanosIn(data);
    if (type !== "budget_raised") return;
    const { tokens = 0, calls = 0 } = data;
    const more = { nanousd: nanosIn(data), tokens: Number(tokens), calls: Number(calls) };
    goal.added.set(agent ?? "", plusAll([goal.added.get(agent ?? "") ?? {}, more]));
  }

  async contradictions(board: Board): Promise<Contradiction[]> {
    const found: Contradiction[] = [];
    const goals = [...this.#goals];
    for (let from = 0; from < goals.length; from += goalsAtOnce) {
      const part = goals.slice(from, from + goalsAtOnce);
      found.push(...(await Promise.all(part.map((one) => compared(board, ...one)))).flat());
    }
    return found;
  }
}

/** A call of a tool is charged before it is made, and has its event after that. */
async function compared(board: Board, goal: GoalId, byLog: GoalByLog): Promise<Contradiction[]> {
  const charges = await board.readToolCharges(goal);
  const { payer, spent, added, addedOfAgents } = await board.readSpending(goal);
  const calls = [...byLog.calls.values()];
  const charged = charges.reduce((sum, { nanousd }) => sum + nanousd, 0);
  const tools = { nanousd: Math.max(byLog.tools, charged) };
  const cost = plusAll([...calls.map((one) => one.cost), tools]);
  const kinds = amountKinds.filter((kind) => kind !== "calls" || !calls.some((one) => one.isFree));
  const raised = new Map<string, Amounts>([["", added], ...addedOfAgents]);
  const agents = [...new Set([...byLog.added.keys(), ...raised.keys()])].toSorted();
  const texts = [
    [payerText(byLog.payer), payerText(payer)],
    [`spent ${textOf(cost, kinds)}`, `spent ${textOf(spent, kinds)}`],
    ...agents.map((agent) =>
      [byLog.added.get(agent), raised.get(agent)].map(
        (sum) => `added ${agent === "" ? "" : `for ${agent} `}${textOf(plusAll([sum ?? {}]))}`,
      ),
    ),
  ];
  return texts.flatMap(([log = "", record = ""]) =>
    log === record ? [] : [{ what: goal, log, record }],
  );
}

function callOf(data: NonNullable<SettEvent["data"]>): Call {
  const tokens = Number(data.input) + Number(data.output);
  const nanousd = nanosIn(data);
  const isFree = data.outcome === "lost" && tokens === 0;
  const calls = Math.min(1, Number(data.tries));
  return { cost: { nanousd, tokens, calls }, isFree };
}

function nanosIn({ usd = 0 }: NonNullable<SettEvent["data"]>): number {
  return Math.round(Number(usd) * nanosPerUsd);
}

function plusAll(all: readonly Partial<Amounts>[]): Amounts {
  const sumOf = (kind: AmountKind) => all.reduce((sum, one) => sum + (one[kind] ?? 0), 0);
  return { nanousd: sumOf("nanousd"), tokens: sumOf("tokens"), calls: sumOf("calls") };
}

function textOf(amounts: Amounts, kinds: readonly AmountKind[] = amountKinds): string {
  return kinds.map((kind) => `${kind}=${amounts[kind]}`).join(" ");
}

function payerText(payer: Payer | undefined): string {
  return payer === undefined ? "The goal has no payer." : `payer=${JSON.stringify(payer)}`;
}
