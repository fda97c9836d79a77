// Says what came of a goal, in the rows of a terminal.
import type { GoalResult } from "../../core/goal-result.ts";
import { settRef } from "../../git/repository/refs.ts";
import type { InstanceName } from "../../model/ids.ts";
import { resultRows } from "../../words/result-sentence.ts";
import type { GoalCost } from "../facts/costs.ts";
import { cutVisible, visibleWidth } from "../text/plain-text.ts";
import type { Layout } from "../text/style.ts";
import { goalCostText } from "./cost-text.ts";
import { painted } from "./painted.ts";

const nameWidth = "approved".length;
const maxForeign = 200;

/**
 * A row for each thing: a row never breaks, so that nothing that an agent has written begins one.
 * Empty where there is nothing to say but the time.
 */
export function resultText(
  result: GoalResult,
  instance: InstanceName,
  { cost, layout: { style, columns } }: { cost: GoalCost | undefined; layout: Layout },
): string {
  const row = (name: string, text: string) => {
    const whole = `  ${style.dim(name.padEnd(nameWidth))}  ${text}`;
    if (columns === undefined || visibleWidth(whole) <= columns) return `${whole}\n`;
    return `${cutVisible(whole, columns - 1)}…\n`;
  };
  const rows = resultRows(result).map(({ name, says }) =>
    row(name, painted(says, style, maxForeign)),
  );
  const refs = result.commits.map(({ artefact }) => settRef(instance, artefact));
  const paid = cost !== undefined && cost.total.calls > 0 ? [row("cost", goalCostText(cost))] : [];
  // A ref is copied from here, and is whole on however narrow a terminal.
  const named = refs.map((ref) => `  ${style.dim("git".padEnd(nameWidth))}  ${ref}\n`);
  return [...rows, ...paid, ...named].join("");
}
