// All fields of one artefact, for people.

import { costText } from "../../../lib/client/render/cost-text.ts";
import { boundedLine, oneLine, plainLines } from "../../../lib/client/text/plain-text.ts";
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import type { Layout } from "../../../lib/client/text/style.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";
import type { Cost } from "../../../lib/core/call-costs.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { makerName } from "../../../lib/words/actor-name.ts";
import { agoOf } from "../../../lib/words/age.ts";
import { shortId } from "../../../lib/words/short-id.ts";

const excerptLines = 10;
const excerptCharacters = 1_000;
/** Columns of the summary and of the metadata. */
const maxColumns = 1_000;

type Options = {
  out: Layout;
  nowMs: number;
  payload: "excerpt" | "none";
  suggest: Suggest;
  cost?: Cost | undefined;
};

/** Ends with a line break. */
export function artefactDetails(
  artefact: Artefact,
  instance: InstanceName,
  { out, nowMs, payload, suggest, cost }: Options,
): string {
  const { style, columns } = out;
  const { metadata } = artefact;
  const { summary, commit, changed_paths: _, ...more } = metadata;
  const by =
    artefact.produced_by_agent === ""
      ? makerName(artefact)
      : `${artefact.produced_by_agent} (role ${artefact.produced_by_role})`;
  const fields: [string, string][] = [
    ["type", `${typeText(artefact.type)} (${artefact.structural_type})`],
    ["id", artefact.id],
    ["thread", `${artefact.logical_id}, version ${artefact.version}`],
    ["by", oneLine(by)],
    ["created", `${artefact.created_at} (${agoOf(artefact.created_at, nowMs)})`],
    ["goal", artefact.goal_id],
    ["claim", artefact.claim_id === "" ? "none" : artefact.claim_id],
    [
      "sources",
      artefact.source_artefacts.length === 0 ? "none" : artefact.source_artefacts.join(", "),
    ],
    ...(commit === undefined
      ? []
      : [
          ["commit", commit] satisfies [string, string],
          ["ref", refOf(artefact, instance)] satisfies [string, string],
        ]),
    ...(cost === undefined || cost.calls === 0
      ? []
      : [["cost", costText(cost)] satisfies [string, string]]),
    ["content", sizeOf(artefact.payload)],
  ];
  const width = Math.max(...fields.map(([name]) => name.length));
  const lines = fields.map(([name, value]) =>
    wrap(`${style.dim(name.padEnd(width))}  ${value}`, { columns, indent: width + 2 }),
  );
  for (const [name, words] of wordsIn({ summary, more }))
    lines.push(style.dim(name), ...quotedLines(words, out));
  if (payload === "excerpt" && artefact.payload !== "")
    lines.push("", ...excerptOf(artefact, out, suggest));
  return `${lines.join("\n")}\n`;
}

/** Returns the words of its maker beside the content, bounded: JSON has all of them. */
function wordsIn({
  summary = "",
  more,
}: {
  summary: string | undefined;
  more: object;
}): [string, string][] {
  const metadata = Object.keys(more).length === 0 ? "" : JSON.stringify(more);
  const all: [string, string][] = [
    ["summary", boundedLine(summary, maxColumns)],
    ["metadata", boundedLine(metadata, maxColumns)],
  ];
  return all.filter(([, words]) => words !== "");
}

/** The ref of the commit in the user's repository: that of a goal, or of a result. */
function refOf(artefact: Artefact, instance: InstanceName): string {
  return `refs/sett/${instance}/${artefact.id}`;
}

function sizeOf(payload: string): string {
  const bytes = new TextEncoder().encode(payload).length;
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

function excerptOf(
  { payload, id }: Artefact,
  { style, columns }: Options["out"],
  suggest: Suggest,
): string[] {
  const start = plainLines(payload.slice(0, excerptCharacters));
  const lines = start.split("\n").slice(0, excerptLines);
  const isWhole = payload.length <= excerptCharacters && start.split("\n").length <= excerptLines;
  return [
    ...quotedLines(lines.join("\n"), { style, columns }),
    ...(isWhole ? [] : [style.dim(`  … the rest: ${suggest(`unearth ${shortId(id)}`)}`)]),
  ];
}
