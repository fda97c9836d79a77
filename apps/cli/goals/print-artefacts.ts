// Prints a table of artefacts page by page.

import { type Checked, overwrittenText } from "../../../lib/client/facts/checked.ts";
import { makerOf } from "../../../lib/client/facts/inquiry-json.ts";
import { shortCost } from "../../../lib/client/render/cost-text.ts";
import { boundedLine } from "../../../lib/client/text/plain-text.ts";
import type { Style } from "../../../lib/client/text/style.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import type { Cost } from "../../../lib/core/call-costs.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { ageOf } from "../../../lib/words/age.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { type Cell, table } from "../render/table.ts";
import type { Shell } from "../terminal/shell.ts";

/** In the table; JSON has the whole summary. */
const maxSummaryLength = 100;

type CostsOf = (heads: readonly ArtefactHead[]) => Promise<ReadonlyMap<ArtefactId, Cost>>;

/**
 * Returns the number of rows. `costsOf`: what model calls for these artefacts have cost; undefined:
 * no such column.
 */
export async function printTable(
  pages: AsyncIterable<readonly Checked<ArtefactHead>[]>,
  { nowMs, costsOf }: { nowMs: number; costsOf: CostsOf | undefined },
  shell: Pick<Shell, "out">,
): Promise<number> {
  const { style, columns } = shell.out;
  let printed = 0;
  for await (const heads of pages) {
    if (heads.length === 0) continue;
    const costs = await costsOf?.(heads);
    const rows = heads.map((head) => rowOf(head, costs, style, nowMs));
    const headings = [
      "ID",
      "TYPE",
      "V",
      "BY",
      "GOAL",
      "AGE",
      ...(costs === undefined ? [] : ["COST"]),
      "SUMMARY",
    ];
    const lines = table(headings, rows, style, columns);
    // Only the first page has headings.
    await shell.out.write(`${lines.slice(printed === 0 ? 0 : 1).join("\n")}\n`);
    printed += rows.length;
  }
  return printed;
}

function rowOf(
  head: Checked<ArtefactHead>,
  costs: ReadonlyMap<ArtefactId, Cost> | undefined,
  style: Style,
  nowMs: number,
): Cell[] {
  const paintType =
    { Failure: style.red, Terminal: style.green, Question: style.yellow }[
      String(head.structural_type)
    ] ?? style.cyan;
  return [
    { text: shortId(head.id), paint: style.bold },
    { text: typeText(head.type), paint: paintType },
    { text: String(head.version) },
    { text: makerOf(head) },
    { text: shortId(head.goal_id), paint: style.dim },
    { text: ageOf(head.created_at, nowMs) },
    ...(costs === undefined ? [] : [{ text: shortCost(costs.get(head.id)) }]),
    // The person who has overwritten it may have written the summary as well.
    head.overwritten
      ? { text: overwrittenText, paint: style.red }
      : { text: boundedLine(head.metadata.summary ?? "", maxSummaryLength) },
  ];
}
