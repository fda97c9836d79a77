// Whether a budget allows another reservation. lua/prelude-model.lua has the same rule.
import { amountKinds } from "../../model/amounts.ts";
import type { Amounts, Budget } from "../../model/budget.ts";
import type { BudgetScope, Exhausted } from "../../model/model-call.ts";

/**
 * The first dimension that does not allow it; undefined when all do. `allowed`: without what was
 * `added`. A limit of 0 allows nothing, also not what costs nothing.
 */
export function exhaustedOf(
  scope: BudgetScope,
  allowed: Budget,
  added: Amounts,
  { spent, reserved }: { spent: Amounts; reserved: Amounts },
  needed: Amounts,
): Exhausted | undefined {
  for (const kind of amountKinds) {
    const base = allowed[kind];
    if (base === undefined) continue;
    const limit = base + added[kind];
    if (limit > 0 && spent[kind] + reserved[kind] + needed[kind] <= limit) continue;
    return {
      scope,
      kind,
      allowed: base,
      limit,
      spent: spent[kind],
      reserved: reserved[kind],
      needed: needed[kind],
    };
  }
  return undefined;
}
