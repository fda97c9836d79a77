// Reads the budgets of this day and this month: their limits, what is spent and reserved, and whose
// new work they hold.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { noAmounts, raised } from "../../model/amounts.ts";
import type { Amounts, Budget } from "../../model/budget.ts";
import {
  limitsOfPayer,
  noSpendingLimits,
  type Payer,
  Period,
  type PeriodId,
  periodAt,
} from "../../model/spending.ts";

/** `limits` with what people have added. */
export type PeriodReading = {
  whose: Payer;
  period: PeriodId;
  limits: Budget;
  added: Amounts;
  spent: Amounts;
  reserved: Amounts;
  isHeld: boolean;
};

/** The instance first, the others by name; of those without a limit the instance alone. */
export async function readPeriodBudgets(board: PersonBlackboard): Promise<PeriodReading[]> {
  const at = new Date(await board.time()).toISOString();
  const ids = Period.options.map((period) => periodAt(period, at));
  const [gateway, sums, holds] = await Promise.all([
    board.readGateway(),
    board.readPeriods(ids),
    board.readHolds(),
  ]);
  const limits = gateway?.spending_limits ?? noSpendingLimits;
  const named = [
    ...Object.keys(limits.people).flatMap((name) => (name === "*" ? [] : [`person:${name}`])),
    ...Object.keys(limits.triggers).map((name) => `trigger:${name}`),
  ];
  const payers = new Set<Payer>([
    "instance",
    ...[...sums.map(({ whose }) => whose), ...named].sort(),
  ]);
  return [...payers].flatMap((whose) =>
    Period.options.flatMap((period, index) => {
      const id = ids[index] as PeriodId;
      const limit = limitsOfPayer(limits, whose)[period];
      if (limit === undefined && (whose !== "instance" || sums.length === 0)) return [];
      const sum = sums.find((one) => one.whose === whose && one.period === id);
      const { spent, reserved, added } = sum ?? noSums;
      const isHeld = holds.some((hold) => hold.whose === whose && hold.period === id);
      return [
        { whose, period: id, limits: raised(limit ?? {}, added), added, spent, reserved, isHeld },
      ];
    }),
  );
}

const noSums = { spent: noAmounts, reserved: noAmounts, added: noAmounts };
