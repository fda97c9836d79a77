// Says to people what came of a goal: a row for each thing that they ask about.
import type { Approval, Check, ResultItem } from "../core/goal-result.ts";
import type { GoalRevert } from "../core/goal-reverts.ts";
import type { GoalState } from "../core/goal-status.ts";
import { actorName } from "./actor-name.ts";
import { duration } from "./age.ts";
import { type Segment, say, toned, typed } from "./segment.ts";
import { shortId } from "./short-id.ts";

type Plain<Shape> = { [Name in keyof Shape]: Shape[Name] extends string ? string : Shape[Name] };

/** The part of a result that has words, as the record or the API gives it. */
export type SpokenResult = {
  state: GoalState;
  duration_ms: number | null;
  commits: readonly (Plain<ResultItem> & { commit: string })[];
  others: readonly Plain<ResultItem>[];
  checks: readonly Pick<Check, "agent" | "outcome">[];
  approvals: readonly Plain<Approval>[];
  reverts: readonly Plain<GoalRevert>[];
};

export type ResultRow = { name: string; says: Segment[] };

/** More results of one kind are counted. */
const maxItems = 5;

/** Rows that have nothing to say are left out. */
export function resultRows(result: SpokenResult): ResultRow[] {
  const { duration_ms: tookMs, commits, others, approvals, reverts } = result;
  const isResult = result.state === "achieved" || result.state === "settled";
  const first = isResult ? "result" : "made";
  return [
    ...itemRows(first, commits),
    ...itemRows(commits.length > 0 ? "also" : first, others),
    ...checksRow(result.checks),
    ...approvals.map(approvalRow),
    ...reverts.map((revert) => ({ name: "reverted", says: revertSentence(revert) })),
    ...(tookMs === null ? [] : [{ name: "took", says: say`${[{ text: duration(tookMs) }]}` }]),
  ];
}

function itemRows(name: string, items: readonly Plain<ResultItem>[]): ResultRow[] {
  const rows = items.slice(0, maxItems).map((item, at) => ({
    name: at === 0 ? name : "",
    says: itemSentence(item),
  }));
  const left = items.length - rows.length;
  return left > 0 ? [...rows, { name: "", says: say`${[{ text: `and ${left} more` }]}` }] : rows;
}

/** `CodeCommit 9f3a12b4, version 2 by coder: “Add the flag”`. */
export function itemSentence({
  artefact,
  type,
  version,
  by,
  summary,
}: Plain<ResultItem>): Segment[] {
  const which = version > 1 ? say`, version ${version}` : [];
  const whose = by === "" ? say` by a person` : say` by ${by}`;
  const words = summary === "" ? [] : say`: “${summary}”`;
  return [...say`${typed("strong", type)} ${shortId(artefact)}`, ...which, ...whose, ...words];
}

const outcomes = [
  { outcome: "passed", tone: "good", words: "passed" },
  { outcome: "feedback", tone: "bad", words: "sent it back" },
  { outcome: "failed", tone: "bad", words: "failed" },
  { outcome: "open", tone: "wait", words: "not done" },
] as const;

function checksRow(checks: SpokenResult["checks"]): ResultRow[] {
  if (checks.length === 0) return [];
  const parts = outcomes.flatMap(({ outcome, tone, words }) => {
    const agents = [
      ...new Set(checks.filter((one) => one.outcome === outcome).map((one) => one.agent)),
    ];
    return agents.length === 0 ? [] : [[...say`${agents.join(", ")} `, toned(tone, words)]];
  });
  const says = parts.flatMap((part, at) => (at === 0 ? part : [{ text: "; " }, ...part]));
  return [{ name: "checks", says }];
}

function approvalRow({ by, about, words, meaning }: Plain<Approval>): ResultRow {
  const what = [{ text: `, about ${shortId(about)}${signedAs({ meaning })}` }];
  const who = say`by ${toned("good", actorName(`person:${by}`))}${what}`;
  return { name: "approved", says: words === "" ? who : [...who, ...say`: “${words}”`] };
}

/** `, signed as approval`; nothing without a signature. */
export function signedAs({ meaning }: { meaning: string | null }): string {
  return meaning === null ? "" : `, signed as ${meaning}`;
}

/** `from the lane main by Grace Hopper`. */
export function revertSentence({ lane, by }: Pick<Plain<GoalRevert>, "lane" | "by">): Segment[] {
  return say`from the lane ${[{ text: lane }]} by ${toned("wait", actorName(`person:${by}`))}`;
}
