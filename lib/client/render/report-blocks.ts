// The report of a goal as blocks, which each format prints in its own way.

import { settRef } from "../../git/repository/refs.ts";
import { duration } from "../../words/age.ts";
import { resultRows, signedAs } from "../../words/result-sentence.ts";
import { type Segment, say } from "../../words/segment.ts";
import { shortId } from "../../words/short-id.ts";
import type { CostRow, GoalReport } from "../facts/report.ts";
import { isMergeable } from "../facts/result.ts";
import type { Suggest } from "../text/suggest.ts";

/** `quote`: what others have written, as it is. `code`: a command, which is Sett's. */
export type Block =
  | { kind: "heading"; level: 1 | 2 | 3; says: readonly Segment[] }
  | { kind: "text"; says: readonly Segment[] }
  | { kind: "quote"; text: string }
  | { kind: "code"; text: string }
  | { kind: "table"; head: readonly string[]; rows: readonly (readonly Segment[])[][] };

/** More rows are counted. */
const maxRows = 200;

export function reportBlocks(report: GoalReport, suggest: Suggest): Block[] {
  const { result, text } = report;
  return [
    heading(1, [...own(`Goal ${shortId(result.goal)}: `), ...say`${result.summary}`]),
    { kind: "table", head: ["", ""], rows: factRows(report) },
    heading(2, own("The goal")),
    { kind: "quote", text },
    ...resultBlocks(report, suggest),
    ...workBlocks(report),
    ...reworkBlocks(report),
    ...checkBlocks(report),
    ...verdictBlocks(report),
    ...failureBlocks(report),
    ...costBlocks(report),
    heading(2, own("How to verify")),
    {
      kind: "text",
      says: own(
        "Each in the repository of the instance. An artefact never changes once it is on record.",
      ),
    },
    table(["command", "shows"], report.verify, ({ command, shows }) => [own(command), own(shows)]),
  ];
}

function factRows({ result, posted_by, instance }: GoalReport): (readonly Segment[])[][] {
  const { goal, state, begun_at, ended_at, duration_ms, start } = result;
  return [
    [own("goal"), own(`${goal}, in ${instance}`)],
    [own("state"), own(state)],
    [own("posted"), say`${[{ text: `${utc(begun_at)} by ` }]}${posted_by}`],
    ...(ended_at === null ? [] : [[own("ended"), own(utc(ended_at))]]),
    ...(duration_ms === null ? [] : [[own("took"), own(duration(duration_ms))]]),
    ...(start === null ? [] : [[own("began at commit"), own(start)]]),
  ];
}

function resultBlocks({ result, instance }: GoalReport, suggest: Suggest): Block[] {
  const rows = resultRows(result).map(({ name, says }) => [own(name), says]);
  const refs = result.commits.map(({ artefact, commit }) => [
    own("git"),
    own(`${settRef(instance, artefact)} (${commit})`),
  ]);
  const merge = isMergeable(result)
    ? [{ kind: "code" as const, text: suggest(`merge ${shortId(result.goal)}`) }]
    : [];
  return [
    heading(2, own("What came of it")),
    { kind: "table", head: ["", ""], rows: [...rows, ...refs] },
    ...merge,
  ];
}

function workBlocks({ work }: GoalReport): Block[] {
  return [
    heading(2, own("Who did what")),
    table(["when", "who", "made", "from", "says"], work, (deed) => [
      own(utc(deed.at)),
      [...say`${deed.by}`, ...(deed.is_person ? own(" (a person)") : [])],
      [
        ...say`${[{ text: deed.type, isForeign: true, isType: true }]}`,
        ...own(` ${shortId(deed.artefact)}${deed.version > 1 ? ` version ${deed.version}` : ""}`),
        ...(deed.overwritten ? own(", overwritten by hand") : []),
      ],
      own(deed.sources.map(shortId).join(", ")),
      say`${deed.summary}`,
    ]),
  ];
}

function reworkBlocks({ verdicts }: GoalReport): Block[] {
  const against = verdicts.filter(({ approves }) => !approves);
  if (against.length === 0) return [];
  return [
    heading(2, own("Why it was made again")),
    ...against.slice(0, maxRows).flatMap(({ about, version, by, words }): Block[] => [
      { kind: "text", says: say`${by}${own(` about ${shortId(about)}, version ${version}:`)}` },
      { kind: "quote", text: words },
    ]),
  ];
}

function checkBlocks({ result: { checks }, outputs }: GoalReport): Block[] {
  if (checks.length === 0) return [];
  return [
    heading(2, own("Checks")),
    table(["agent", "about", "outcome", "says"], checks, ({ agent, about, outcome, summary }) => [
      say`${agent}`,
      own(shortId(about)),
      own(outcome),
      say`${summary}`,
    ]),
    ...outputs.slice(0, maxRows).flatMap(outputBlocks),
  ];
}

function verdictBlocks({ verdicts }: GoalReport): Block[] {
  if (verdicts.length === 0) return [];
  return [
    heading(2, own("Verdicts")),
    table(["when", "who", "about", "verdict", "words"], verdicts, (one) => [
      own(utc(one.at)),
      [...say`${one.by}`, ...(one.is_person ? own(" (a person)") : [])],
      own(`${shortId(one.about)} version ${one.version}`),
      own(`${one.approves ? "approved" : "sent back"}${signedAs(one)}`),
      say`${one.words}`,
    ]),
  ];
}

function failureBlocks({ failures }: GoalReport): Block[] {
  if (failures.length === 0) return [];
  return [heading(2, own("Failures")), ...failures.slice(-maxRows).flatMap(outputBlocks)];
}

function outputBlocks({ by, type, artefact, output }: GoalReport["outputs"][number]): Block[] {
  const typed = [{ text: type, isForeign: true as const, isType: true as const }];
  return [
    { kind: "text", says: say`${typed}${own(` ${shortId(artefact)} of `)}${by}` },
    { kind: "quote", text: output },
  ];
}

function costBlocks({ costs: { agents, models } }: GoalReport): Block[] {
  if (agents.length === 0) return [];
  const of = (head: string, rows: readonly CostRow[]) =>
    table([head, "cost", "tokens", "calls"], rows, (row) => [
      say`${row.name}`,
      own(`$${row.usd.toFixed(2)}${row.unpriced_calls > 0 ? " + ?" : ""}`),
      own(String(row.tokens)),
      own(String(row.calls)),
    ]);
  return [heading(2, own("What models have cost")), of("agent", agents), of("model", models)];
}

/** The same wherever it is read. */
function utc(at: string): string {
  return at === "" ? "" : `${at.slice(0, 19).replace("T", " ")} UTC`;
}

function heading(level: 1 | 2 | 3, says: readonly Segment[]): Block {
  return { kind: "heading", level, says };
}

function own(text: string): Segment[] {
  return [{ text }];
}

function table<Item>(
  head: readonly string[],
  items: readonly Item[],
  cells: (item: Item) => (readonly Segment[])[],
): Block {
  const rows = items.slice(0, maxRows).map(cells);
  const left = items.length - rows.length;
  if (left > 0) rows.push([own(`and ${left} more`), ...head.slice(1).map(() => own(""))]);
  return { kind: "table", head, rows };
}
