// An eval for people: a row for each setting, then one for each run that has not passed. Pure.
import { shortCost } from "../../../lib/client/render/cost-text.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import type { Layout } from "../../../lib/client/text/style.ts";
import { duration } from "../../../lib/words/age.ts";
import type { EvalRun, SettingSummary } from "../facts/eval-runs.ts";
import { type Cell, table } from "./table.ts";

const headings = ["setting", "passed", "cost", "time", "rounds", "questions"];

/** `count`: how many runs each setting was to have. */
export function evalReport(
  summaries: readonly SettingSummary[],
  runs: readonly EvalRun[],
  { style, columns }: Layout,
  count: number,
): string {
  const rows = summaries.map((summary): Cell[] => [
    { text: summary.setting },
    {
      text: `${summary.passed} of ${count}`,
      paint: summary.passed === count ? style.green : style.red,
    },
    { text: shortCost(summary.cost ?? undefined) },
    { text: summary.duration_ms === null ? "" : duration(summary.duration_ms) },
    { text: summary.rounds === null ? "" : String(summary.rounds) },
    { text: String(summary.questions) },
  ]);
  const lines = table(headings, rows, style, columns);
  const others = rowsOf(runs.filter(({ outcome }) => outcome !== "passed"));
  if (others.length > 0)
    lines.push(
      "",
      ...table(
        ["not passed", "setting", "run", "outcome", "why"],
        others.map(({ goal, setting, run, outcome, reason }): Cell[] => [
          { text: goal },
          { text: setting },
          { text: run },
          { text: outcome.replaceAll("-", " "), paint: style.red },
          { text: oneLine(reason) },
        ]),
        style,
        columns,
      ),
    );
  return `${lines.join("\n")}\n`;
}

type Row = Pick<EvalRun, "goal" | "setting" | "outcome" | "reason"> & { run: string };

/** A setting that has not started has one reason, and one row. */
function rowsOf(runs: readonly EvalRun[]): Row[] {
  return runs.flatMap((one, at) => {
    if (one.outcome !== "not-started") return [{ ...one, run: String(one.run) }];
    const isFirst = runs.findIndex((other) => other.setting === one.setting) === at;
    return isFirst ? [{ ...one, goal: "all", run: "all" }] : [];
  });
}
