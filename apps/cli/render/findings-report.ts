// The findings of `sett doctor`, for people and as JSON.

import { oneLine, padVisible } from "../../../lib/client/text/plain-text.ts";
import type { Layout, Style } from "../../../lib/client/text/style.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";
import { countOf, type Finding, type Level } from "../facts/finding.ts";
import type { Symbols } from "./symbols.ts";

const checkWidth = 17;
const detailIndent = 4;

/** By subject, in the order of the findings, and last how many of each level there are. */
export function findingsReport(
  findings: readonly Finding[],
  symbols: Symbols,
  { style, columns }: Layout,
): string[] {
  const subjects = [...new Set(findings.map(({ subject }) => subject))];
  return [
    ...subjects.flatMap((subject) => [
      style.bold(oneLine(subject)),
      ...findings
        .filter((finding) => finding.subject === subject)
        .flatMap((finding) => linesOf(finding, symbols, style))
        .map(({ text, indent }) => wrap(text, { columns, indent })),
      "",
    ]),
    summary(findings),
  ];
}

function linesOf(
  finding: Finding,
  symbols: Symbols,
  style: Style,
): { text: string; indent: number }[] {
  const check = padVisible(finding.check, checkWidth);
  const lead = `  ${mark(finding.level, symbols, style)} ${check} `;
  const first = { text: `${lead}${oneLine(finding.found)}`, indent: detailIndent + checkWidth + 1 };
  if (finding.level === "ok") return [first];
  const indent = " ".repeat(detailIndent);
  return [
    first,
    { text: `${indent}${style.dim(oneLine(finding.why))}`, indent: detailIndent },
    {
      text: `${indent}${style.cyan(symbols.arrow)} ${oneLine(finding.remedy)}`,
      indent: detailIndent,
    },
  ];
}

function mark(level: Level, symbols: Symbols, style: Style): string {
  const marks: Record<Level, string> = {
    ok: style.green(symbols.done),
    note: style.dim(symbols.coming),
    warning: style.yellow("?"),
    problem: style.red(symbols.failed),
  };
  return marks[level];
}

function summary(findings: readonly Finding[]): string {
  const count = (level: Level) => {
    const number = countOf(findings, level);
    return `${number} ${level}${number === 1 ? "" : "s"}`;
  };
  const fine = countOf(findings, "ok");
  return `${count("problem")}, ${count("warning")}, ${count("note")}; ${fine} of ${findings.length} checks ${fine === 1 ? "is" : "are"} fine.`;
}

export function findingsJson(findings: readonly Finding[]) {
  return {
    problems: countOf(findings, "problem"),
    warnings: countOf(findings, "warning"),
    notes: countOf(findings, "note"),
    findings: findings.map((finding) => {
      const { subject, check, level, found } = finding;
      const advice =
        finding.level === "ok"
          ? { why: null, remedy: null }
          : { why: finding.why, remedy: finding.remedy };
      return { subject, check, level, found, ...advice };
    }),
  };
}
