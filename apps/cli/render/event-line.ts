// One event of the log as a line for people: when, for which goal, who, what.
import type { Actor, SettEvent } from "../../../lib/model/event.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { clockTime } from "../text/age.ts";
import { oneLine, shorten } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";
import type { Colour, Style } from "../text/style.ts";

const maxSummaryLength = 100;
/** A Failure's is the reason, which is told nowhere else. */
const maxReasonLength = 300;
const actorWidth = 14;

/** Where what happened begins; what does not fit into a line goes on below. */
export const eventIndent = "00:00:00  00000000  ".length + actorWidth + "  ".length;

/**
 * What the event itself does not say. `summary`: the artefact's own. `maker`: the agent in whose name it was written. `ignoredBy`: whose
 * bids were not told by themselves. `reason`: what is left to tell of the event's own, if something was told before.
 */
export type Beside = {
  summary?: string | undefined;
  maker?: string | undefined;
  ignoredBy?: readonly string[];
  /** There were no other bids. */
  isUnwanted?: boolean;
  reason?: string;
};

export function eventLine(event: SettEvent, style: Style, beside: Beside = {}): string {
  const goal = event.goal_id === undefined ? style.dim("·".padEnd(8)) : style.dim(shortId(event.goal_id));
  const who = shorten(oneLine(actorName(event.actor)), actorWidth).padEnd(actorWidth);
  const paintedWho = style[colourOf(event.actor)](who);
  const { text, weight } = whatHappened(event, beside, style);
  const { summary = "" } = beside;
  const most = event.data?.structural_type === "Failure" ? maxReasonLength : maxSummaryLength;
  const told = summary === "" ? text : `${text}  ${style.dim("“")}${shorten(oneLine(summary), most)}${style.dim("”")}`;
  return `${style.dim(clockTime(event.time))}  ${goal}  ${paintedWho}  ${weight === "minor" ? style.dim(told) : told}`;
}

/** As people call whoever did it. */
export function actorName(actor: Actor): string {
  const [kind, ...name] = actor.split(":");
  if (kind === "hand") return "by hand";
  if (kind === "orchestrator") return kind;
  // Where an agent ran, and a person's address, are for the record: `--json` has them.
  return name.join(":").replace(kind === "agent" ? /@.*$/ : / <[^<>]*>$/, "");
}

function colourOf(actor: Actor): Colour {
  if (actor.startsWith("agent:")) return "cyan";
  return actor.startsWith("person:") || actor === "hand" ? "magenta" : "blue";
}

type Told = { text: string; weight: "major" | "minor" };

function whatHappened(event: SettEvent, beside: Beside, style: Style): Told {
  const about = shortId(event.artefact_id ?? "");
  const claim = `claim ${shortId(event.claim_id ?? "")}`;
  const agent = event.agent ?? "an agent";
  const said = (name: string) => oneLine(String(event.data?.[name] ?? ""));
  const major = (text: string): Told => ({ text, weight: "major" });
  const minor = (text: string): Told => ({ text, weight: "minor" });
  // The orchestrator alone acts; whoever asked for it is told with it.
  const asAsked = said("by") === "" ? "" : `, as ${oneLine(actorName(said("by")))} asked`;
  const reason = oneLine(beside.reason ?? said("reason"));
  const because = reason === "" ? "" : `: ${reason}`;
  const isByHand = event.actor === "hand";
  const inName = isByHand && event.agent !== undefined ? ` for ${agent}` : "";
  switch (event.type) {
    case "instance_started":
      return major(style.bold("starts this sett"));
    case "instance_stopped":
      return major(style.bold("stops this sett"));
    case "agent_registered":
      return minor(`registers agent ${agent}${said("role") === agent || said("role") === "" ? "" : `, role ${said("role")}`}`);
    case "agent_replaced":
      return minor(`replaces agent ${agent}: other ${said("changed")}`);
    case "agent_removed":
      return minor(`removes agent ${agent}`);
    case "orchestrator_started":
      return minor(`begins to orchestrate, epoch ${said("epoch")}`);
    case "artefact_created":
      return major(artefactCreated(event, beside, said, style));
    case "artefact_refused":
      return major(
        isByHand
          ? `writes artefact ${about}, which is ${style.red("refused")}${because}`
          : `${style.red("refuses")} artefact ${about}${because}`,
      );
    case "claim_opened":
      return major(`opens ${claim} on ${about}${bidders(event)}`);
    case "claim_announced":
      return minor(`announces ${claim} again`);
    case "bid_placed":
      return said("word") === "ignore"
        ? minor(`bids ignore on ${claim}${bidder(event)}`)
        : major(`bids ${style.bold(said("word"))} on ${claim}${bidder(event)}`);
    case "bid_imposed":
      return major(`bids ${style.bold(said("word"))} on ${claim} for ${agent}, which gave no bid`);
    case "bid_refused":
      return major(bidRefused(event, said, { claim, because, agent }, style));
    case "bidding_closed":
      return minor(`closes the bidding on ${claim}${ignoring(beside)}`);
    case "grant_queued":
      return major(`grants ${claim} to ${style.bold(agent)} (${said("phase")}${attempt(event)})${inPlaceOf(said)}`);
    case "grant_started":
      return major(`${style.yellow("works")} on ${claim}${inName}${attempt(event)}`);
    case "grant_done":
      return event.actor.startsWith("agent") || isByHand
        ? minor(`is done with ${claim}${inName}`)
        : minor(`has judged for ${agent} on ${claim}`);
    case "grant_failed":
      return major(
        event.actor.startsWith("orchestrator")
          ? `${style.red("ends")} the attempt of ${agent} on ${claim}${because}`
          : `${style.red("fails")} on ${claim}${inName}${because}`,
      );
    case "grant_retrying":
      return major(`tries ${agent} on ${claim} again in ${Number(event.data?.after_ms ?? 0) / 1_000} s`);
    case "grant_waiting":
      // An agent waits by itself; a person's grant is put into waiting.
      return major(
        event.actor.startsWith("agent:")
          ? `${style.yellow("waits")} for an answer on ${claim}`
          : `${style.yellow("asks")} ${style.bold(agent)} to approve or reject ${about}`,
      );
    case "grant_cancelled":
      return major(`cancels the work of ${agent} on ${claim}${because}`);
    case "result_refused":
      return major(
        isByHand
          ? `writes a result of ${claim}${inName}, which is ${style.red("refused")}${because}`
          : `${style.red("comes too late")} with a result for ${claim}${because}`,
      );
    case "claim_completed":
      return major(`${style.green("completes")} ${claim}`);
    case "claim_terminated":
      return major(`${style.red("terminates")} ${claim}${because}`);
    case "goal_ended":
      return major(`${style.red("ends")} the goal: ${endingOf(said("ending"))}${asAsked}`);
    case "question_asked":
      return major(`${style.yellow("puts")} question ${about} to people`);
    case "question_closed":
      return minor(`closes question ${about}${because}`);
    case "cancel_requested":
      return major(`asks to ${style.red("cancel")} the goal`);
    case "pause_requested":
      return major(`asks for a ${style.yellow("pause")}`);
    case "resume_requested":
      return major("asks to go on");
    case "retry_requested":
      return major(`asks to try again what ended with ${about}`);
    case "request_refused":
      return major(`${style.red("refuses")} the request${because}`);
    case "instance_paused":
      return major(`${style.yellow("pauses")} the instance${asAsked}`);
    case "instance_resumed":
      return major(`lets the instance go on${asAsked}`);
    case "goals_pruned":
      return major(`moves ${said("goals")} goals to ${said("file")} (sha256 ${said("sha256").slice(0, 12)}…)`);
    case "event_given_up":
      return major(`${style.red("gives up")} on an event (${quoted(said("type"))})${because}`);
    case "unreadable":
      return major(`something in the log ${style.red("cannot be read")} (${quoted(said("type"))})${because}`);
    default:
      return unreachable(event.type);
  }
}

/** The type of an event, or what stands in its place, as it is written in the log. */
function quoted(type: string): string {
  return type === "" ? "without a type" : `type ${type.replaceAll("_", " ")}`;
}

function endingOf(ending: string): string {
  return ending === "artefact_limit" ? "it has as many artefacts as it may have" : ending;
}

type Said = (name: string) => string;

function artefactCreated(event: SettEvent, { maker = "" }: Beside, said: Said, style: Style): string {
  const id = shortId(event.artefact_id ?? "");
  const inName = event.actor === "hand" && maker !== "" ? ` for ${oneLine(maker)}` : "";
  const version = `${Number(event.data?.version ?? 1) > 1 ? ` version ${said("version")}` : ""}${inName}`;
  if (String(event.artefact_id) === String(event.goal_id)) return `states the goal ${style.bold(id)}`;
  switch (said("structural_type")) {
    case "Failure":
      return `posts ${style.red(said("type"))} ${id}${inName}`;
    case "Question":
      return `${style.yellow("asks")} ${id}${inName}`;
    case "Terminal":
      return `posts ${style.green(said("type"))} ${style.bold(id)}${version}, the end`;
    default:
      return `posts ${style.green(said("type"))} ${style.bold(id)}${version}`;
  }
}

function bidders(event: SettEvent): string {
  const { kind, missing } = event.data ?? {};
  if (kind !== undefined && kind !== "standard") return ` (${oneLine(String(kind))})`;
  const count = Number(missing ?? 0);
  if (count === 0) return "";
  return `, asks ${count === 1 ? "1 agent" : `${count} agents`}`;
}

/** A person's rules bid at once, through the orchestrator; whoever bids by hand does so for an agent. */
function bidder({ actor, agent }: SettEvent): string {
  if (agent === undefined || actor.startsWith("agent:")) return "";
  return actor === "hand" ? ` for ${agent}` : ` for ${agent}, by its rules`;
}

/** The name may be any text, of which only an agent's stands in the event itself. */
function bidRefused(
  { actor, agent: known, data }: SettEvent,
  said: Said,
  { claim, because, agent }: { claim: string; because: string; agent: string },
  style: Style,
): string {
  if (actor !== "hand") return `${style.red("refuses")} a bid of ${agent} on ${claim}${because}`;
  const name = known ?? (data?.name === undefined ? agent : said("name"));
  return `bids ${said("word")} on ${claim} for ${name}, which is ${style.red("refused")}${because}`;
}

const maxNames = 8;

function ignoring({ ignoredBy: names = [], isUnwanted }: Beside): string {
  if (names.length === 0) return "";
  if (isUnwanted === true) return ": everybody ignores it";
  const rest = names.length - maxNames;
  return `, ignored by ${names.slice(0, maxNames).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** An agent of the same role does what was another's to do. */
function inPlaceOf(said: Said): string {
  return said("instead_of") === "" ? "" : `, in place of ${said("instead_of")}: ${said("because")}`;
}

function attempt(event: SettEvent): string {
  const count = Number(event.data?.attempt ?? 1);
  return count > 1 ? `, attempt ${count}` : "";
}
