// Inquiries as text for people, and as commands to type.

import { overwrittenText } from "../../../lib/client/facts/checked.ts";
import { type Inquiry, subjectOf } from "../../../lib/client/facts/inquiries.ts";
import { makerOf } from "../../../lib/client/facts/inquiry-json.ts";
import { boundedLine, oneLine } from "../../../lib/client/text/plain-text.ts";
import { bar, quotedLines } from "../../../lib/client/text/quoted.ts";
import type { Layout, Style } from "../../../lib/client/text/style.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";
import { isGoalFeedback } from "../../../lib/model/artefact.ts";
import { isCallQuestion } from "../../../lib/model/asked-call.ts";
import {
  amountsOfYes,
  exampleAmount,
  questionText,
  raiseText,
  refusalSentence,
} from "../../../lib/model/budget-question.ts";
import type { Approvals } from "../../../lib/model/quorum.ts";
import { ageOf, agoOf } from "../../../lib/words/age.ts";
import { approvalsText } from "../../../lib/words/approvals-text.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { type Cell, table } from "./table.ts";

type Approval = Extract<Inquiry, { kind: "approval" }>;

/** In a table. The details of a question, and JSON, have its whole text. */
const maxTextLength = 500;

/** `columns`: undefined where nothing is cut. */
type Drawing = { style: Style; nowMs: number; columns: number | undefined; suggest: Suggest };

/** One line for each inquiry. */
export function inquiryTable(
  inquiries: readonly Inquiry[],
  { style, nowMs, columns, suggest }: Drawing,
): string[] {
  const rows = inquiries.map((inquiry): Cell[] => {
    const subject = subjectOf(inquiry);
    return [
      { text: shortId(subject.id), paint: style.bold },
      { text: inquiry.kind, paint: style.yellow },
      { text: ageOf(inquiry.since, nowMs) },
      { text: shortId(subject.goal_id), paint: style.dim },
      { text: makerOf(subject) },
      subject.overwritten
        ? { text: overwrittenText, paint: style.red }
        : { text: textOf(inquiry, suggest) },
    ];
  });
  return table(["ID", "KIND", "AGE", "GOAL", "FROM", "TEXT"], rows, style, columns);
}

/** Lines of an artefact to approve. A question is shown with its whole text. */
const shownLines = 40;

/**
 * One inquiry: a question with its whole text, an approval with the beginning of the artefact. Ends
 * with a line break.
 */
export function inquiryDetails(
  inquiry: Inquiry,
  { style, columns }: Layout,
  nowMs: number,
): string {
  const subject = subjectOf(inquiry);
  const when = agoOf(inquiry.since, nowMs);
  const note = subject.overwritten ? `, ${style.red(overwrittenText)}` : "";
  const goal = `${style.dim(`(goal ${shortId(subject.goal_id)})`)}${note}`;
  const quoted = (text: string) => quotedLines(text, { style, columns });
  if (inquiry.kind === "approval") {
    const from = `${style.yellow("Approval")} of ${style.bold(shortId(subject.id))} by \`${inquiry.agent}\`, requested ${when} ${goal}`;
    const { approvals, may_approve } = inquiry;
    const counted = approvals === undefined ? [] : [`  ${approvalsLine(approvals, may_approve)}`];
    return `${[wrap(from, { columns }), ...counted, "", ...quoted(nameOf(inquiry)), ...contentLines(inquiry, quoted, style)].join("\n")}\n`;
  }
  const from = `${style.yellow("Question")} ${style.bold(shortId(subject.id))} from ${makerOf(subject)}, ${when} ${goal}`;
  const { question, refusal } = inquiry;
  const words = quoted(questionText(question));
  if (refusal === undefined) return `${[wrap(from, { columns }), "", ...words].join("\n")}\n`;
  const known = wrap(`  ${refusalSentence(refusal)}`, { columns });
  return `${[wrap(from, { columns }), "", known, "", `  ${makerOf(subject)} says:`, ...words].join("\n")}\n`;
}

function approvalsLine(approvals: Approvals, mayApprove: readonly string[] = []): string {
  const { not_by } = approvals;
  const others =
    not_by.length === 0 ? "" : `; the approval of ${not_by.join(" or ")} does not count`;
  const next = mayApprove.length === 0 ? "" : `; it waits for ${mayApprove.join(" or ")}`;
  return oneLine(`${approvalsText(approvals)}${others}${next}`);
}

/** The payload of a commit is only its hash, so it is left out: `sett unearth` shows the change. */
function contentLines(
  { artefact, content }: Approval,
  quoted: (text: string) => string[],
  style: Style,
): string[] {
  if (artefact.metadata.commit !== undefined) return [];
  if (content.text.trim() === "") return [];
  const lines = quoted(content.text);
  const isCut = !content.isWhole || lines.length > shownLines;
  return ["", ...lines.slice(0, shownLines), ...(isCut ? [style.dim("  …")] : [])];
}

/** The commands to type next. What was overwritten can neither be answered nor approved. */
export function commandsFor(inquiry: Inquiry, suggest: Suggest): string[] {
  const subject = subjectOf(inquiry);
  const id = shortId(subject.id);
  if (subject.overwritten)
    return [suggest("doctor"), suggest(`cancel ${shortId(subject.goal_id)}`)];
  if (inquiry.kind === "approval")
    return [
      ...furtherContent(inquiry).map((what) => `${suggest(`unearth ${id}`)}  # ${what}`),
      `${suggest(`approve ${id}`)}`,
      `${suggest(`reject ${id} --reason "…"`)}`,
    ];
  const { refusal } = inquiry;
  if (refusal !== undefined) {
    const yes = amountsOfYes(refusal);
    return [
      ...(yes === undefined
        ? []
        : [`${suggest(`answer ${id} yes`)}  # adds ${raiseText(yes, refusal)}`]),
      `${suggest(`answer ${id} ${exampleAmount(refusal)}`)}  # or another amount`,
      `${suggest(`budget ${shortId(inquiry.question.goal_id)}`)}  # what the goal has cost`,
    ];
  }
  if (isCallQuestion(inquiry.question))
    return [`${suggest(`answer ${id} yes`)}`, `${suggest(`answer ${id} "no, …"`)}`];
  if (!isGoalFeedback(inquiry.question)) return [`${suggest(`answer ${id} "…"`)}`];
  return [`${suggest(`answer ${id}`)}  # your answer replaces the goal: edit its whole text`];
}

/** Returns what `sett unearth` shows beyond the details, if anything. */
function furtherContent({ artefact, content }: Approval): string[] {
  if (artefact.metadata.commit !== undefined) return ["what the commit changes"];
  return content.isWhole && content.text.split("\n").length <= shownLines
    ? []
    : ["its whole content"];
}

function textOf(inquiry: Inquiry, suggest: Suggest): string {
  if (inquiry.kind === "question")
    return `${bar} ${boundedLine(questionText(inquiry.question), maxTextLength)}`;
  return `${suggest(`approve ${shortId(inquiry.artefact.id)}`)} (\`${inquiry.agent}\`): ${bar} ${nameOf(inquiry)}`;
}

function nameOf({ artefact: { type, version, metadata } }: Approval): string {
  const summary = boundedLine(metadata.summary ?? "", maxTextLength);
  return `${typeText(type)}${version > 1 ? ` v${version}` : ""}${summary === "" ? "" : `, ${summary}`}`;
}
