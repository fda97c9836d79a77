// One event of the log as a line for people: time, goal, actor, action.
import { type Actor, bidsOf, type SettEvent } from "../../model/event.ts";
import { unreachable } from "../../model/unreachable.ts";
import { clockTime } from "../text/age.ts";
import { boundedLine, oneLine, shorten } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";
import type { Colour, Style } from "../text/style.ts";
import { artefactCreated, type Field } from "./artefact-line.ts";
import { bidder, bidders, bidRefused, bidsPlaced, someOf } from "./bid-line.ts";
import { callLine, raisedBy } from "./model-line.ts";
import { firedText, skippedText } from "./trigger-line.ts";

const maxSummaryLength = 100;
/** The summary of a Failure is its reason, which no other line shows. */
const maxReasonLength = 300;
/** Of all else that an event says, such as the reason of a failure. */
const maxFieldLength = 1_000;
const actorWidth = 14;

/** The column of the action; its continuation lines begin there. */
export const eventIndent = "00:00:00  00000000  ".length + actorWidth + "  ".length;

/**
 * Facts that the event itself does not contain. `summary`: that of the artefact. `maker`: the agent in whose name it was written.
 * `ignoredBy`: the agents whose bids have no line of their own. `reason`: replaces the event's reason, where a line above has shown a part.
 */
export type EventContext = {
  summary?: string | undefined;
  maker?: string | undefined;
  ignoredBy?: readonly string[];
  /** The line leaves out bids of `ignore`: that of the closing names their agents. */
  isFolded?: boolean;
  /** All bids were `ignore`. */
  isUnwanted?: boolean;
  reason?: string;
};

/** On one row. */
export function eventLine(event: SettEvent, style: Style, context: EventContext = {}): string {
  const { start, text, weight, reason, summary } = eventParts(event, style, context);
  const because = reason === "" ? "" : `: ${reason}`;
  const quoted = summary === "" ? "" : `  ${style.dim("“")}${summary}${style.dim("”")}`;
  const whole = `${text}${because}${quoted}`;
  return `${start}${weight === "minor" ? style.dim(whole) : whole}`;
}

/** `start`: time, goal and actor. */
export type EventParts = Required<Action> & { start: string; summary: string };

export function eventParts(event: SettEvent, style: Style, context: EventContext): EventParts {
  const goal = event.goal_id === undefined ? style.dim("·".padEnd(8)) : style.dim(shortId(event.goal_id));
  const who = shorten(oneLine(actorName(event.actor)), actorWidth).padEnd(actorWidth);
  const paintedWho = style[colourOf(event.actor)](who);
  const maxLength = event.data?.structural_type === "Failure" ? maxReasonLength : maxSummaryLength;
  return {
    reason: "",
    ...whatHappened(event, context, style),
    start: `${style.dim(clockTime(event.time))}  ${goal}  ${paintedWho}  `,
    summary: boundedLine(context.summary ?? "", maxLength),
  };
}

/** The name of an actor, for people. */
export function actorName(actor: Actor): string {
  const [kind, ...name] = actor.split(":");
  if (kind === "hand") return "by hand";
  if (kind === "orchestrator" || kind === "gateway") return kind;
  // An agent's container, and a person's address, are in the log only: `--json` shows them.
  return name.join(":").replace(kind === "agent" ? /@.*$/ : / <[^<>]*>$/, "");
}

function colourOf(actor: Actor): Colour {
  if (actor.startsWith("agent:")) return "cyan";
  return actor.startsWith("person:") || actor === "hand" ? "magenta" : "blue";
}

/** `reason`: what may be an agent's words. */
type Action = { text: string; weight: "major" | "minor"; reason?: string };

function whatHappened(event: SettEvent, context: EventContext, style: Style): Action {
  const about = shortId(event.artefact_id ?? "");
  const claim = `claim ${shortId(event.claim_id ?? "")}`;
  const agent = event.agent ?? "an agent";
  const field = (name: string) => boundedLine(String(event.data?.[name] ?? ""), maxFieldLength);
  const major = (text: string, words = ""): Action => ({ text, weight: "major", reason: words });
  const minor = (text: string, words = ""): Action => ({ text, weight: "minor", reason: words });
  // Only the orchestrator acts; the line also names the person who sent the request.
  const onRequest = field("by") === "" ? "" : `, as ${oneLine(actorName(field("by")))} asked`;
  const reason = context.reason === undefined ? field("reason") : boundedLine(context.reason, maxFieldLength);
  const because = reason === "" ? "" : `: ${reason}`;
  const isByHand = event.actor === "hand";
  const inName = isByHand && event.agent !== undefined ? ` for ${agent}` : "";
  switch (event.type) {
    case "instance_started":
      return major(`${style.bold("starts this sett")}${field("known_before") === "" ? "" : ", with a new blackboard"}`);
    case "instance_stopped":
      return major(style.bold("stops this sett"));
    case "agent_registered":
      return minor(`registers agent ${agent}${field("role") === agent || field("role") === "" ? "" : `, role ${field("role")}`}`);
    case "agent_replaced":
      return minor(`replaces agent ${agent}: ${field("changed")} changed`);
    case "agent_removed":
      return minor(`removes agent ${agent}`);
    case "orchestrator_started":
      return minor(`acquires the leader lease, epoch ${field("epoch")}`);
    case "artefact_created":
      return major(artefactCreated(event, context, field, style));
    case "artefact_refused":
      return isByHand
        ? major(`writes artefact ${about}, which is ${style.red("refused")}${because}`)
        : major(`${style.red("refuses")} artefact ${about}${because}`);
    case "claim_opened":
      return major(`opens ${claim} on ${about}${bidders(event)}`);
    case "claim_announced":
      return minor(`announces ${claim} again`);
    case "bids_placed":
      return bidsOf(event).every(({ word }) => word === "ignore")
        ? minor(`notes the bids on ${claim}${bidsPlaced(event, context, style)}`)
        : major(`notes the bids on ${claim}${bidsPlaced(event, context, style)}`);
    case "bid_placed":
      return field("word") === "ignore"
        ? minor(`bids ignore on ${claim}${bidder(event)}`, reason)
        : major(`bids ${style.bold(field("word"))} on ${claim}${bidder(event)}`, reason);
    case "bid_imposed":
      return major(`bids ${style.bold(field("word"))} on ${claim} for ${agent}, which has not bid`);
    case "bid_refused":
      return major(bidRefused(event, { claim, because, agent }, style));
    case "bidding_closed":
      return minor(`closes the bidding on ${claim}${ignoring(context)}`);
    case "grant_queued":
      return major(`grants ${claim} to ${style.bold(agent)} (${field("phase")}${attempt(event)})${inPlaceOf(field)}`);
    case "grant_started":
      return major(`${style.yellow("works")} on ${claim}${inName}${attempt(event)}`);
    case "grant_done":
      if (event.data?.rejects === true)
        return minor(`${style.red("rejects")} what ${claim} is about${event.actor.startsWith("agent") ? "" : ` for ${agent}`}`);
      return event.actor.startsWith("agent") || isByHand
        ? minor(`is done with ${claim}${inName}`)
        : minor(`reviews ${claim} for ${agent}`);
    case "grant_failed":
      return major(
        event.actor.startsWith("orchestrator")
          ? `${style.red("ends")} the attempt of ${agent} on ${claim}`
          : `${style.red("fails")} on ${claim}${inName}`,
        reason,
      );
    case "grant_retrying":
      return major(`tries ${agent} on ${claim} again in ${Number(event.data?.after_ms ?? 0) / 1_000} s`);
    case "grant_waiting":
      // An agent's command asks, and its grant waits; for a person's approval the orchestrator asks.
      return major(
        event.actor.startsWith("agent:")
          ? `${style.yellow("waits")} for an answer on ${claim}`
          : `${style.yellow("asks")} ${style.bold(agent)} to approve or reject ${about}`,
      );
    case "grant_cancelled":
      return major(`cancels the work of ${agent} on ${claim}`, reason);
    case "result_refused":
      return major(
        isByHand
          ? `writes a result of ${claim}${inName}, which is ${style.red("refused")}${because}`
          : field("source") === ""
            ? `delivers a result of ${claim} ${style.red("too late")}${because}`
            : `delivers a result of ${claim} that ${style.red("must be made again")}${because}`,
      );
    case "mail_refused":
      return major(`${style.red("refuses")} what ${agent} has sent${because}`);
    case "claim_completed":
      return major(`${style.green("completes")} ${claim}`);
    case "claim_terminated":
      return major(`${style.red("terminates")} ${claim}`, reason);
    case "goal_ended":
      return major(`${style.red("ends")} the goal: ${endingOf(field("ending"))}${onRequest}`);
    case "question_asked":
      return major(`${style.yellow("passes")} question ${about} to people`);
    case "question_closed":
      return minor(`closes question ${about}${because}`);
    case "cancel_requested":
      return major(`asks to ${style.red("cancel")} the goal`);
    case "pause_requested":
      return major(`asks to ${style.yellow("pause")} the instance`);
    case "resume_requested":
      return major("asks to resume the instance");
    case "retry_requested":
      return major(`asks to retry the claim that failed with ${about}`);
    case "request_refused":
      return major(`${style.red("refuses")} the request${because}`);
    case "instance_paused":
      return major(`${style.yellow("pauses")} the instance${onRequest}`);
    case "instance_resumed":
      return major(`resumes the instance${onRequest}`);
    case "model_called":
      return callLine(event, claim, style);
    case "budget_raised":
      return major(`${style.green("raises")} the budget of ${event.agent ?? "the goal"} by ${raisedBy(event)}`);
    case "trigger_fired":
      return major(firedText(event, style));
    case "trigger_skipped":
      return minor(skippedText(event, because));
    case "goals_pruned":
      return major(`moves ${field("goals")} goals to ${field("file")} (sha256 ${field("sha256").slice(0, 12)}…)`);
    case "event_given_up":
      return major(`${style.red("gives up")} on an event for now (${quoted(field("type"))})${because}`);
    case "connections_ended":
      return major(
        `${style.red("ends")} the connections of ${event.agent ?? `user ${field("user")}`} to Redis${overLimit(field)}`,
      );
    case "mail_dropped":
      return major(`${style.red("drops")} ${field("messages") || "the"} unread messages of ${agent}, which filled Redis`);
    case "api_called":
      return minor(
        `calls ${field("tool") || `${field("method")} ${field("path")}`} of the API with token ${field("token")}: ${field("status")}`,
      );
    case "unreadable":
      return major(`an entry of the log ${style.red("cannot be read")} (${quoted(field("type"))})${because}`);
    default:
      return unreachable(event.type);
  }
}

/** The type of an event, or the text in its place in the log. */
function quoted(type: string): string {
  return type === "" ? "without a type" : `type ${type.replaceAll("_", " ")}`;
}

function overLimit(field: Field): string {
  if (field("calls") !== "") return `, which it kept busy: ${field("calls")} commands took ${field("ms")} ms`;
  return field("connections") === "" ? "" : `: ${field("connections")}, of at most ${field("limit")}`;
}

function endingOf(ending: string): string {
  return ending === "artefact_limit" ? "it has reached the limit of artefacts" : ending;
}

function ignoring({ ignoredBy: names = [], isUnwanted }: EventContext): string {
  if (names.length === 0) return "";
  if (isUnwanted === true) return ": every agent ignores it";
  return `, ignored by ${someOf(names)}`;
}

/** An agent of the same role does the work of another agent. */
function inPlaceOf(field: Field): string {
  return field("instead_of") === "" ? "" : `, in place of ${field("instead_of")}: ${field("because")}`;
}

function attempt(event: SettEvent): string {
  const count = Number(event.data?.attempt ?? 1);
  return count > 1 ? `, attempt ${count}` : "";
}
