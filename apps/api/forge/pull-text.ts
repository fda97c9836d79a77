// The text of a pull request: the report of its goal, in which nothing of others acts.
import type { GoalReport } from "../../../lib/client/facts/report.ts";
import { reportBlocks } from "../../../lib/client/render/report-blocks.ts";
import { markdownOf } from "../../../lib/client/render/report-markdown.ts";
import { harmless, harmlessLine } from "../../../lib/forge/texts.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";

const titleCharacters = 120;
/** Forges take 65 536. */
const maxCharacters = 60_000;

/** By this line Sett knows for which version it has written the text. */
export function versionLine({ id, version, metadata }: Artefact): string {
  return `Version ${version}, artefact ${id}, commit ${metadata.commit ?? ""}`;
}

export function pullTitle({ text }: Pick<GoalReport, "text">): string {
  const [first = ""] = text.trim().split("\n");
  return harmlessLine(first, titleCharacters) || "A result of Sett";
}

/** `issue`: of the same repository, from the event that its forge has signed. */
export function pullBody(
  report: GoalReport,
  artefact: Artefact,
  issue: number | undefined,
): string {
  const suggest = (command: string) => `sett ${command}`;
  const whole = harmless(markdownOf(reportBlocks(report, suggest)));
  const shown = whole.length > maxCharacters ? cutInCode(whole) : whole;
  const fixes = issue === undefined ? "" : `Fixes #${issue}\n\n`;
  return `Made by agents of Sett. ${versionLine(artefact)}.\n\n${fixes}${shown}`;
}

/** Whole sections are left out, so that no block of code stays open. */
function cutInCode(text: string): string {
  const cut = text.slice(0, maxCharacters);
  return cut.slice(0, cut.lastIndexOf("\n## "));
}
