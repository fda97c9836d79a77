// Writes one event of the log for people, in one row or in as many as a terminal needs: time, goal,
// actor, action.
import type { Actor, SettEvent } from "../../model/event.ts";
import { actorName } from "../../words/actor-name.ts";
import { clockTime } from "../../words/age.ts";
import { eventSentence } from "../../words/event-sentence.ts";
import type { EventContext as SentenceContext, Weight } from "../../words/sentence.ts";
import { shortId } from "../../words/short-id.ts";
import { overwrittenText } from "../facts/checked.ts";
import { boundedLine, oneLine, shorten, visibleWidth } from "../text/plain-text.ts";
import { quotedLines } from "../text/quoted.ts";
import type { Colour, Layout, Style } from "../text/style.ts";
import { wrap } from "../text/wrap.ts";
import { painted } from "./painted.ts";

const maxSummaryLength = 100;
/** The summary of a Failure is its reason, which no other line shows. */
const maxReasonLength = 300;
/** The limit counts for all else that an event says, such as the reason of a failure. */
const maxFieldLength = 1_000;
const actorWidth = 14;

/** The column of the action; its continuation lines begin there. */
const eventIndent = "00:00:00  00000000  ".length + actorWidth + "  ".length;

/** `summary`: that of the artefact, unless it `isOverwritten`: then it is anybody's. */
export type EventContext = SentenceContext & {
  summary?: string | undefined;
  isOverwritten?: boolean;
};

/** Writes it on one row. */
export function eventLine(event: SettEvent, style: Style, context: EventContext = {}): string {
  const { start, text, weight, reason, summary } = eventParts(event, style, context);
  const because = reason === "" ? "" : `: ${reason}`;
  const quoted = summary === "" ? "" : `  ${style.dim("“")}${summary}${style.dim("”")}`;
  const whole = `${text}${because}${quoted}`;
  return `${start}${weight === "minor" ? style.dim(whole) : whole}`;
}

/** The words of agents have rows of their own then, each with a bar. */
export function eventRows(
  event: SettEvent,
  { style, columns }: Layout,
  context: EventContext = {},
): string[] {
  const line = eventLine(event, style, context);
  if (columns === undefined || visibleWidth(line) <= columns) return [line];
  const { start, text, weight, reason, summary } = eventParts(event, style, context);
  const said = wrap(`${start}${weight === "minor" ? style.dim(text) : text}`, {
    columns,
    indent: eventIndent,
  });
  const indent = " ".repeat(eventIndent);
  return [
    said,
    ...[reason, summary].flatMap((words) =>
      words === "" ? [] : quotedLines(words, { style, columns }, indent),
    ),
  ];
}

/** `start`: time, goal and actor. `reason`, `summary`: what may be an agent's words. */
type EventParts = {
  start: string;
  text: string;
  weight: Weight;
  reason: string;
  summary: string;
};

function eventParts(event: SettEvent, style: Style, context: EventContext): EventParts {
  const goal =
    event.goal_id === undefined ? style.dim("·".padEnd(8)) : style.dim(shortId(event.goal_id));
  const who = shorten(oneLine(actorName(event.actor)), actorWidth).padEnd(actorWidth);
  const paintedWho = style[colourOf(event.actor)](who);
  const maxLength = event.data?.structural_type === "Failure" ? maxReasonLength : maxSummaryLength;
  const { segments, weight, reason } = eventSentence(event, context);
  const note = context.isOverwritten === true ? `, ${style.red(overwrittenText)}` : "";
  return {
    start: `${style.dim(clockTime(event.time))}  ${goal}  ${paintedWho}  `,
    text: `${painted(segments, style, maxFieldLength)}${note}`,
    weight,
    reason: boundedLine(reason, maxFieldLength),
    summary: note === "" ? boundedLine(context.summary ?? "", maxLength) : "",
  };
}

function colourOf(actor: Actor): Colour {
  if (actor.startsWith("agent:")) return "cyan";
  return actor.startsWith("person:") || actor === "hand" ? "magenta" : "blue";
}
