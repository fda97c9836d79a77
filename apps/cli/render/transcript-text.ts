// The conversations of an agent with its model, for people.

import type { CallWithBodies, Transcript } from "../../../lib/client/facts/transcript.ts";
import { costText } from "../../../lib/client/render/cost-text.ts";
import { oneLine, plainLines } from "../../../lib/client/text/plain-text.ts";
import type { Colour, Layout as Columns } from "../../../lib/client/text/style.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";
import { costOf } from "../../../lib/core/call-costs.ts";
import { parseJson } from "../../../lib/model/json.ts";
import type { CallRecord } from "../../../lib/model/model-call.ts";
import type { Conversation } from "../../../lib/models/transcript.ts";
import type { Part, Turn } from "../../../lib/models/transcript-parts.ts";

/** The place where it is printed; a terminal interprets control characters. */
type Layout = Columns & { isTerminal: boolean };

const indent = "  ";

const colours: Readonly<Record<Turn["role"], Colour>> = {
  system: "dim",
  user: "magenta",
  assistant: "cyan",
  tool: "yellow",
};

/** Ends with a line break. */
export function transcriptText({ calls, conversations }: Transcript, out: Layout): string {
  const lines = conversations.flatMap((conversation, index) => [
    ...(index === 0 ? [] : [""]),
    ...conversationLines(conversation, { calls, number: index + 1, of: conversations.length }, out),
  ]);
  const shown = new Set(conversations.flatMap((conversation) => conversation.calls));
  const rest = calls.flatMap((call, index) => (shown.has(index) ? [] : [call]));
  return `${[...lines, ...restLines(rest, lines.length > 0)].join("\n")}\n`;
}

type Place = { calls: readonly CallWithBodies[]; number: number; of: number };

function conversationLines(
  conversation: Conversation,
  { calls, number, of }: Place,
  out: Layout,
): string[] {
  const { style } = out;
  const records = conversation.calls.flatMap((index) => calls[index]?.call ?? []);
  const models = [
    ...new Set(
      records.map(({ model, answered_model: answered }) =>
        answered === "" ? model : `${model} (${answered})`,
      ),
    ),
  ];
  const title = of === 1 ? "Conversation" : `Conversation ${number} of ${of}`;
  const kind = records[0]?.kind === "bid" ? " about the bid" : "";
  const agents = new Set(calls.map(({ call }) => call.agent));
  const agent = agents.size > 1 ? ` of ${records[0]?.agent ?? "an agent"}` : "";
  const head = `${title}${agent}${kind} with ${models.map(oneLine).join(", ")}: ${costText(costOf(records)) || "no cost"}`;
  return [
    ...wrap(style.bold(head), { columns: out.columns }).split("\n"),
    ...namedTurns(conversation.turns).flatMap((turn) => [
      "",
      style[colours[turn.role]](turn.role),
      ...turn.parts.flatMap((part) => partLines(part, out)),
    ]),
    ...(conversation.isAnswered ? [] : ["", style.red(unansweredText(records.at(-1)))]),
  ];
}

function unansweredText(last: CallRecord | undefined): string {
  if (last === undefined || last.outcome === "ok")
    return "The answer to this was not kept, or cannot be read.";
  return oneLine(
    `This was not answered: the call ${endings[last.outcome]}. ${last.problem ?? ""}`,
  ).trim();
}

const endings: Readonly<Record<Exclude<CallRecord["outcome"], "ok">, string>> = {
  refused: "was refused",
  failed: "has failed",
  cancelled: "was cancelled",
  lost: "was lost",
};

type NamedPart = Part & { toolName?: string };

/** Results of tools name the tool, not only the id of the call. */
function namedTurns(turns: readonly Turn[]): { role: Turn["role"]; parts: NamedPart[] }[] {
  const names = new Map(
    turns.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.kind === "call" ? [[part.id, part.name] as const] : [])),
    ),
  );
  return turns.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) =>
      part.kind === "result" ? { ...part, toolName: names.get(part.id) ?? part.id } : part,
    ),
  }));
}

function partLines(part: NamedPart, out: Layout): string[] {
  const { style } = out;
  switch (part.kind) {
    case "text":
      return block(part.text, out);
    case "reasoning":
      return block(part.text, out, style.dim);
    case "other":
      return block(`[${part.text}]`, out, style.dim);
    case "call":
      return [
        `${indent}${style.bold(`calls ${oneLine(part.name)}`)}`,
        ...block(prettyInput(part.input), out, undefined, indent.repeat(2)),
      ];
    case "result": {
      const head = `${oneLine(part.toolName ?? "")} ${part.isError ? style.red("has failed") : "answers"}`;
      return [
        `${indent}${style.bold(head)}`,
        ...block(part.text, out, undefined, indent.repeat(2)),
      ];
    }
  }
}

/** One member a line: long texts, such as a file, are shown with their lines. */
function prettyInput(input: string): string {
  const value = parseJson(input);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return input;
  const lines = Object.entries(value).map(([name, member]) => {
    const text = typeof member === "string" ? member : JSON.stringify(member);
    return text.includes("\n") ? `${name}:\n${text.replaceAll(/^/gm, indent)}` : `${name}: ${text}`;
  });
  return lines.join("\n");
}

function block(
  text: string,
  { columns, isTerminal }: Layout,
  paint = (line: string) => line,
  lead = indent,
): string[] {
  if (text.trim() === "") return [];
  const shown = isTerminal ? plainLines(text) : text;
  const width = columns === undefined ? undefined : Math.max(20, columns - lead.length);
  const lines = shown.replace(/\n+$/, "").split("\n");
  return lines
    .flatMap((line) => wrap(line, { columns: width }).split("\n"))
    .map((line) => (line === "" ? "" : `${lead}${paint(line)}`));
}

/** Calls without a request that can be shown. */
function restLines(calls: readonly CallWithBodies[], hasOthers: boolean): string[] {
  if (calls.length === 0) return [];
  const isKept = calls.some(({ request }) => request !== undefined);
  const count = calls.length === 1 ? "1 call" : `${calls.length} calls`;
  const what = isKept ? "have a request that cannot be shown" : "have no kept request";
  return [
    ...(hasOthers ? [""] : []),
    `${count} ${calls.length === 1 ? what.replace("have", "has") : what}: --json has what is known of them.`,
  ];
}
