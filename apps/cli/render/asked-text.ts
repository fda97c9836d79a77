// What waits for a person, for people and for programs, with what to type.
import { type ArtefactHead, goalFeedbackType } from "../../../lib/model/artefact.ts";
import { type Asked, subjectOf } from "../facts/awaited.ts";
import { ageOf, agoOf } from "../text/age.ts";
import { oneLine, plainLines, shorten } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";
import type { Layout, Style } from "../text/style.ts";
import type { Suggest } from "../text/suggest.ts";
import { wrap } from "../text/wrap.ts";
import { type Cell, table } from "./table.ts";

type Approval = Extract<Asked, { kind: "approval" }>;

/** In a table; a question by itself, and JSON, have it whole. */
const maxTextLength = 500;

/** How it is drawn. `columns`: undefined where nothing is to be cut. */
type Drawing = { style: Style; nowMs: number; columns: number | undefined; suggest: Suggest };

/** A line each. */
export function askedTable(asked: readonly Asked[], { style, nowMs, columns, suggest }: Drawing): string[] {
  const rows = asked.map((one): Cell[] => {
    const subject = subjectOf(one);
    return [
      { text: shortId(subject.id), paint: style.bold },
      { text: one.kind, paint: style.yellow },
      { text: ageOf(one.since, nowMs) },
      { text: shortId(subject.goal_id), paint: style.dim },
      { text: makerOf(subject) },
      { text: textOf(one, suggest) },
    ];
  });
  return table(["ID", "KIND", "AGE", "GOAL", "FROM", "TEXT"], rows, style, columns);
}

/** Of what is to be approved; a question is shown whole. */
const shownLines = 40;

/** One of them with all that it says, an approval with the beginning of what is to be approved. Ends with a line break. */
export function askedDetails(asked: Asked, { style, columns }: Layout, nowMs: number): string {
  const subject = subjectOf(asked);
  const when = agoOf(asked.since, nowMs);
  const goal = style.dim(`(goal ${shortId(subject.goal_id)})`);
  const indented = (text: string) => {
    const lines = plainLines(text).replace(/\n+$/, "").split("\n");
    return lines.map((line) => wrap(`  ${line}`.trimEnd(), { columns }));
  };
  if (asked.kind === "approval") {
    const from = `${style.yellow("Approval")} of ${style.bold(shortId(subject.id))} by \`${asked.agent}\`, since ${when} ${goal}`;
    return `${[wrap(from, { columns }), "", ...indented(nameOf(asked)), ...contentLines(asked, indented, style)].join("\n")}\n`;
  }
  const from = `${style.yellow("Question")} ${style.bold(shortId(subject.id))} from ${makerOf(subject)}, ${when} ${goal}`;
  return `${[wrap(from, { columns }), "", ...indented(asked.question.payload)].join("\n")}\n`;
}

/** A commit is looked at by itself: its content is no more than its name. */
function contentLines({ artefact, content }: Approval, indented: (text: string) => string[], style: Style): string[] {
  if (artefact.metadata.commit !== undefined) return [];
  if (content.text.trim() === "") return [];
  const lines = indented(content.text);
  const isCut = !content.isWhole || lines.length > shownLines;
  return ["", ...lines.slice(0, shownLines), ...(isCut ? [style.dim("  …")] : [])];
}

/** What to type. `name`: as above. */
export function commandsFor(asked: Asked, suggest: Suggest): string[] {
  const id = shortId(subjectOf(asked).id);
  if (asked.kind === "approval")
    return [
      ...seeMore(asked).map((what) => `${suggest(`unearth ${id}`)}  # ${what}`),
      `${suggest(`approve ${id}`)}`,
      `${suggest(`reject ${id} --reason "…"`)}`,
    ];
  if (asked.question.type !== goalFeedbackType) return [`${suggest(`answer ${id} "…"`)}`];
  return [`${suggest(`answer ${id}`)}  # the answer becomes the goal: edit the whole of it`];
}

/** What there is to see beyond what was shown, if anything. */
function seeMore({ artefact, content }: Approval): string[] {
  if (artefact.metadata.commit !== undefined) return ["what the commit changes"];
  return content.isWhole && content.text.split("\n").length <= shownLines ? [] : ["all of it"];
}

/** One object for both kinds. */
export function askedJson(asked: Asked) {
  const subject = subjectOf(asked);
  const { id, goal_id, type, version, source_artefacts } = subject;
  const common = { kind: asked.kind, id, goal_id, type, from: makerOf(subject), since: asked.since };
  if (asked.kind === "question") return { ...common, about: source_artefacts[0] ?? null, text: asked.question.payload };
  const { summary = "", commit = null } = asked.artefact.metadata;
  const content = { content: asked.content.text, content_is_whole: asked.content.isWhole, commit };
  return { ...common, version, agent: asked.agent, claim_id: asked.claim, text: summary, ...content };
}

function textOf(asked: Asked, suggest: Suggest): string {
  if (asked.kind === "question") return shorten(oneLine(asked.question.payload.slice(0, 2 * maxTextLength)), maxTextLength);
  return `${suggest(`approve ${shortId(asked.artefact.id)}`)} (\`${asked.agent}\`): ${nameOf(asked)}`;
}

function nameOf({ artefact: { type, version, metadata } }: Approval): string {
  const summary = shorten(oneLine(metadata.summary ?? ""), maxTextLength);
  return `${oneLine(type)}${version > 1 ? ` v${version}` : ""}${summary === "" ? "" : `, ${summary}`}`;
}

/** Who asks, or who made what is to be approved. */
export function makerOf({ produced_by_agent, produced_by_role }: ArtefactHead): string {
  return oneLine(produced_by_agent === "" ? produced_by_role : produced_by_agent);
}
