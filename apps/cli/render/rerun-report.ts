// Says whether a command that was run again had the same result, and what differs.

import { changedLines } from "../../../lib/client/text/changed-lines.ts";
import { boundedLine } from "../../../lib/client/text/plain-text.ts";
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import type { Layout } from "../../../lib/client/text/style.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import type { ResultDifference } from "../../../lib/core/compare-results.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { shortId } from "../../../lib/words/short-id.ts";

const maxLines = 20;

/** The key of a piece that differs is an agent's, and may be long. */
const maxTitle = 250;

export type Rerun = {
  result: Pick<Artefact, "id" | "type">;
  agent: string;
  differences: readonly ResultDifference[];
  /** Files in which the commits differ. */
  changed: readonly string[] | undefined;
};

/** Ends with a line break. */
export function rerunText({ result, agent, differences, changed }: Rerun, out: Layout): string {
  const name = `${typeText(result.type)} ${shortId(result.id)} of ${agent}`;
  if (differences.length === 0) return `The same result: ${name}\n`;
  const parts = differences.map((each) => {
    const isFiles = each.what === "files of the commit" && changed !== undefined;
    const lines = isFiles ? fileLines(changed) : linesOf(each);
    const title = boundedLine(each.what, Math.min(maxTitle, out.columns ?? maxTitle));
    return `${out.style.dim(title)}\n${quotedLines(lines.join("\n"), out).join("\n")}`;
  });
  return `Another result than ${name}\n\n${parts.join("\n\n")}\n`;
}

function fileLines(changed: readonly string[]): string[] {
  const more = changed.length - maxLines;
  return [...changed.slice(0, maxLines), ...(more > 0 ? [`and ${more} more`] : [])];
}

function linesOf({ recorded, now }: ResultDifference): string[] {
  if (recorded === undefined || now === undefined)
    return [`- ${oneSide(recorded)}`, `+ ${oneSide(now)}`];
  const { removed, added } = changedLines(recorded, now);
  return [...signed("-", removed), ...signed("+", added)];
}

function signed(sign: string, lines: readonly string[]): string[] {
  const more = lines.length - maxLines;
  const shown = lines.slice(0, maxLines).map((line) => `${sign} ${line}`);
  return more > 0 ? [...shown, `${sign} (${more} more lines)`] : shown;
}

function oneSide(text: string | undefined): string {
  return text === undefined ? "(none, or too long to be shown)" : text;
}
