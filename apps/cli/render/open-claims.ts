// The open claims, a line each, in the most detailed form that fits the width of the terminal.

import {
  blockedReasonOf,
  isAbsent,
  livenessOf,
  type Situation,
} from "../../../lib/client/facts/blocked-reason.ts";
import {
  orchestratorProblem,
  silence,
  waitingBrief,
} from "../../../lib/client/render/waiting-text.ts";
import {
  cutVisible,
  oneLine,
  padVisible,
  visibleWidth,
} from "../../../lib/client/text/plain-text.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import { type Waiting, waitedForBy } from "../../../lib/core/goal-status.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import { type ClaimSnapshot, questionOf } from "../../../lib/model/claim.ts";
import { pausedBy } from "../../../lib/words/paused-by.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { type Detail, type Drawing, phaseStrip } from "./phase-strip.ts";

/** `about`: the artefact of the claim, where it could be read. */
export type OpenClaim = ClaimSnapshot & {
  about: Pick<ArtefactHead, "type" | "version"> | undefined;
};
export type Glance = { claims: readonly OpenClaim[]; situation: Situation };
export type Size = { columns: number; rows: number };

const maxClaims = 10;

/** From the most detailed form to the shortest. */
type Form = { detail: Detail; typeWidth: number; names: number; isTerse?: boolean };
const forms: readonly Form[] = [
  { detail: "names", typeWidth: 24, names: 3 },
  { detail: "signs", typeWidth: 24, names: 3 },
  { detail: "signs", typeWidth: 24, names: 1 },
  { detail: "letters", typeWidth: 14, names: 2 },
  { detail: "letters", typeWidth: 14, names: 1 },
  { detail: "letters", typeWidth: 0, names: 1 },
  { detail: "letters", typeWidth: 0, names: 1, isTerse: true },
];

/** Lines no wider than the terminal, and at most a third of its rows. */
export function openClaimLines(
  { claims, situation }: Glance,
  { columns, rows }: Size,
  drawing: Drawing,
): string[] {
  const shown = claims.slice(0, Math.min(maxClaims, Math.max(1, Math.floor(rows / 3))));
  const bodies = forms.map((form) =>
    inColumns(
      shown.map((claim) => [
        drawing.style.bold(shortId(claim.claim.id)),
        ...(form.typeWidth === 0 ? [] : [subject(claim, form.typeWidth)]),
        phaseStrip(claim, form.detail, drawing),
        waits(claim, situation, form, drawing),
      ]),
    ),
  );
  const body =
    bodies.find((lines) => lines.every((line) => visibleWidth(line) <= columns)) ??
    bodies.at(-1) ??
    [];
  const rest = claims.length - shown.length;
  const more =
    rest === 0
      ? []
      : [
          drawing.style.dim(
            `${drawing.symbols.more} and ${rest} more: ${situation.suggest("status")}`,
          ),
        ];
  return [heading(claims.length, situation, columns, drawing), ...body, ...more].map((line) =>
    cutVisible(line, columns),
  );
}

/** The number of open claims, and the problems that concern all of them. */
function heading(
  count: number,
  situation: Situation,
  columns: number,
  { style, symbols }: Drawing,
): string {
  const problems = [
    ...(orchestratorProblem(situation) === undefined ? [] : ["no orchestrator"]),
    ...(situation.pause === undefined
      ? []
      : [`paused by ${oneLine(pausedBy(situation.pause.by))}`]),
    ...situation.agents.flatMap((agent) => {
      const liveness = livenessOf(agent, situation);
      return liveness.reason === "silent"
        ? [`${agent.name} ${silence(liveness.last_heard, situation.nowMs)}`]
        : [];
    }),
  ];
  const number =
    count === 0 ? "no open claims" : count === 1 ? "1 open claim" : `${count} open claims`;
  const rule = style.dim(symbols.rule.repeat(2));
  const text = [`${rule} ${number} `, ...problems.map((problem) => ` ${style.red(problem)} `)].join(
    rule,
  );
  return `${text}${style.dim(symbols.rule.repeat(Math.max(0, columns - visibleWidth(text))))}`;
}

function subject({ claim, about }: OpenClaim, maxColumns: number): string {
  const type = cutVisible(typeText(about?.type ?? ""), maxColumns);
  const version = about !== undefined && about.version > 1 ? ` v${about.version}` : "";
  return `${type}${version}${claim.kind === "standard" ? "" : ` (${claim.kind})`}`;
}

/** First the agents that may never act, then those for which the claim has waited longest. */
function waits(
  claim: OpenClaim,
  situation: Situation,
  { names, isTerse }: Form,
  { style }: Drawing,
): string {
  const answers = claim.grants.flatMap((grant): Waiting[] => {
    const question = questionOf(grant);
    return question === undefined || grant.state !== "waiting"
      ? []
      : [{ kind: "answer", question, since: grant.started_at }];
  });
  const rank = (waiting: Waiting) =>
    isAbsent(blockedReasonOf(waiting, situation)) ? 0 : Date.parse(waiting.since);
  const all = [...answers, ...waitedForBy(claim)].toSorted((one, other) => rank(one) - rank(other));
  const shown = all
    .slice(0, names)
    .map((waiting) => waitingBrief(waiting, situation, style, isTerse));
  return `${shown.join(", ")}${all.length > names ? ` +${all.length - names}` : ""}`;
}

function inColumns(rows: readonly string[][]): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map((row) => visibleWidth(row[at] ?? ""))),
  );
  return rows.map((row) =>
    row.map((cell, at) => (at === count - 1 ? cell : padVisible(cell, widths[at] ?? 0))).join("  "),
  );
}
