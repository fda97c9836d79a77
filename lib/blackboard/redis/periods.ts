// Budgets of days and months in Redis: their sums, and the payers whose work does not begin.
import { amountKinds } from "../../model/amounts.ts";
import type { Amounts } from "../../model/budget.ts";
import { parseJson } from "../../model/json.ts";
import { Hold, Payer, type PeriodId, type PeriodSpending } from "../../model/spending.ts";
import type { ModelBoard } from "../port/models.ts";
import { periodEvent } from "../records/budget-event.ts";
import type { Deps } from "./deps.ts";
import { eventRecord } from "./records.ts";

type PeriodBoard = Pick<
  ModelBoard,
  "raisePeriod" | "readHolds" | "isHeld" | "freeHolds" | "wakeAgents" | "readPeriods"
>;

export function periodsOf({
  connection,
  keys,
  call,
}: Pick<Deps, "connection" | "keys" | "call">): PeriodBoard {
  return {
    raisePeriod({ actor, ...order }) {
      const event = eventRecord(periodEvent(order), actor);
      return call("raisePeriod", { holds: keys.holds }, { ...order, event });
    },

    async readHolds() {
      const texts = await connection.run((client) => client.hVals(keys.holds));
      return texts.flatMap((text) => holdIn(text) ?? []);
    },

    async isHeld(goal) {
      const [isPaused, payers] = await connection.run((client) =>
        Promise.all([client.hExists(keys.pausedGoals, goal), client.hKeys(keys.holds)]),
      );
      if (isPaused) return true;
      if (payers.length === 0) return false;
      if (payers.includes("instance")) return true;
      const payer = await connection.run((client) => client.hGet(keys.goal(goal), "payer"));
      return payer !== null && payers.includes(payer);
    },

    async freeHolds(order) {
      return Number((await call("freeHolds", { holds: keys.holds }, order)).count);
    },

    wakeAgents: (epoch) =>
      call("wakeAgents", { orchestrator: keys.orchestrator, agents: keys.agents }, { epoch }),

    async readPeriods(periods) {
      const all = await Promise.all(
        periods.map(async (period) => {
          const key = keys.spending(period);
          return spendingIn(period, await connection.run((client) => client.hGetAll(key)));
        }),
      );
      return all.flat();
    },
  };
}

/** The fields that begin so, with the kind behind it. */
export function amountsIn(fields: Readonly<Record<string, string>>, start: string): Amounts {
  return Object.fromEntries(
    amountKinds.map((kind) => [kind, Number(fields[`${start}${kind}`] ?? 0)]),
  ) as Amounts;
}

const sumPattern = /^(.+):(?:spent|reserved|added)_/;

/** The instance first, the others by name. */
function spendingIn(period: PeriodId, fields: Readonly<Record<string, string>>): PeriodSpending[] {
  const payers = new Set(
    Object.keys(fields).flatMap((field) => Payer.safeParse(sumPattern.exec(field)?.[1]).data ?? []),
  );
  return [...payers].sort().map((whose) => ({
    period,
    whose,
    spent: amountsIn(fields, `${whose}:spent_`),
    reserved: amountsIn(fields, `${whose}:reserved_`),
    added: amountsIn(fields, `${whose}:added_`),
  }));
}

function holdIn(text: string): Hold | undefined {
  return Hold.safeParse(parseJson(text)).data;
}
