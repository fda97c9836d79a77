// Writes what an event of the log says, for people: who acts comes before it, and is not in it.
import type { EventType, SettEvent } from "../model/event.ts";
import { periodBudget } from "../model/payer-name.ts";
import { actorName } from "./actor-name.ts";
import { artefactCreated } from "./artefact-sentence.ts";
import { bidders, bidsPlaced, bidWeight, ignoring, reviewsAfter } from "./bid-sentence.ts";
import { callSentence, raisedBudget, raisedBy, spentOf } from "./call-sentence.ts";
import { formatCount } from "./count.ts";
import { forgeStep } from "./forge-sentence.ts";
import { type Segment, say, toned } from "./segment.ts";
import type { EventContext, Facts, Field, Sentence, SentenceTone } from "./sentence.ts";
import { shortId } from "./short-id.ts";
import { fired, skipped } from "./trigger-sentence.ts";

/** A type that this version does not know is shown by its name. */
export function eventSentence(event: SettEvent, context: EventContext = {}): Sentence {
  const writer: Writer | undefined = writers[event.type];
  const said = writer?.(factsOf(event, context)) ?? {
    segments: say`${String(event.type).replaceAll("_", " ")}`,
  };
  return { tone: toneOf(said.segments), weight: "major", reason: "", ...said };
}

function toneOf(segments: readonly Segment[]): SentenceTone {
  for (const { tone } of segments) if (tone !== undefined && tone !== "strong") return tone;
  return "plain";
}

type Said = { segments: readonly Segment[] } & Partial<Omit<Sentence, "segments">>;
type Writer = (facts: Facts) => Said;

function factsOf(event: SettEvent, context: EventContext): Facts {
  const field: Field = (name) => String(event.data?.[name] ?? "");
  const reason = context.reason ?? field("reason");
  const isByHand = event.actor === "hand";
  return {
    ...{ event, context, field, reason, isByHand },
    claim: `claim ${shortId(event.claim_id ?? "")}`.trimEnd(),
    about: shortId(event.artefact_id ?? ""),
    agent: event.agent ?? "an agent",
    because: reason === "" ? [] : say`: ${reason}`,
    isByAgent: event.actor.startsWith("agent:"),
    attempt: Number(field("attempt")) > 1 ? say`, attempt ${field("attempt")}` : [],
    onRequest: field("by") === "" ? [] : say`, as ${actorName(field("by"))} asked`,
  };
}

const minor = (segments: readonly Segment[], more: Partial<Sentence> = {}): Said => ({
  segments,
  weight: "minor",
  ...more,
});
const major = (segments: readonly Segment[], more: Partial<Sentence> = {}): Said => ({
  segments,
  ...more,
});

/** One for each type: a type without a sentence does not compile. */
const writers: Readonly<Record<EventType, Writer>> = {
  instance_started: ({ field }) =>
    major(
      say`${toned("strong", "starts this sett")}${field("known_before") === "" ? [] : say`, with a new blackboard`}`,
    ),
  instance_stopped: () => major([toned("strong", "stops this sett")]),
  agent_registered: ({ agent, field }) => {
    const role =
      field("role") === agent || field("role") === "" ? [] : say`, role ${field("role")}`;
    return minor(say`registers agent ${agent}${role}`);
  },
  agent_replaced: ({ agent, field }) =>
    minor(say`replaces agent ${agent}: ${field("changed")} changed`),
  agent_removed: ({ agent }) => minor(say`removes agent ${agent}`),
  orchestrator_started: ({ field }) =>
    minor(say`acquires the leader lease, epoch ${field("epoch")}`),
  artefact_created: (facts) => major(artefactCreated(facts)),
  pieces_ended: ({ about }) => major(say`finds all work on the pieces of ${about} ended`),
  artefact_refused: ({ about, because, isByHand }) =>
    isByHand
      ? major(say`writes artefact ${about}, which is ${toned("bad", "refused")}${because}`)
      : major(say`${toned("bad", "refuses")} artefact ${about}${because}`),
  claim_opened: ({ event, claim, about }) =>
    major(say`opens ${claim} on ${about}${bidders(event)}`),
  claim_announced: ({ claim }) => minor(say`announces ${claim} again`),
  bids_placed: ({ event, context, claim }) => ({
    segments: say`notes the bids on ${claim}${bidsPlaced(event, context)}`,
    weight: bidWeight(event),
  }),
  bid_placed: ({ field, claim, reason }) =>
    field("word") === "ignore"
      ? minor(say`bids ignore on ${claim}`, { reason })
      : major(say`bids ${toned("strong", field("word"))} on ${claim}`, {
          reason,
        }),
  bid_imposed: ({ field, claim, agent }) =>
    major(say`bids ${toned("strong", field("word"))} on ${claim} for ${agent}, which has not bid`),
  bidding_closed: ({ event, claim, context }) =>
    minor(say`closes the bidding on ${claim}${ignoring(context)}${reviewsAfter(event)}`),
  grant_queued: ({ claim, agent, field, attempt }) =>
    major(
      say`grants ${claim} to ${toned("strong", agent)} (${field("phase")}${attempt})${inPlaceOf(field)}`,
    ),
  grant_started: ({ claim, attempt }) =>
    major(say`${toned("work", "works")} on ${claim}${attempt}`),
  grant_done: ({ event, claim, agent, isByAgent }) => {
    const reviewer = isByAgent ? [] : say` for ${agent}`;
    if (event.data?.rejects === true)
      return minor(say`${toned("bad", "rejects")} what ${claim} is about${reviewer}`);
    const done = isByAgent ? say`is done with ${claim}` : say`reviews ${claim} for ${agent}`;
    return minor(done, { tone: "good" });
  },
  grant_failed: ({ event, claim, agent, reason }) =>
    event.actor.startsWith("orchestrator")
      ? major(say`${toned("bad", "ends")} the attempt of ${agent} on ${claim}`, { reason })
      : major(say`${toned("bad", "fails")} on ${claim}`, { reason }),
  grant_retrying: ({ claim, agent, field }) =>
    major(say`tries ${agent} on ${claim} again in ${Number(field("after_ms")) / 1_000} s`, {
      tone: "wait",
    }),
  // An agent's command asks, and its grant waits; for a person's approval the orchestrator asks.
  grant_waiting: ({ event, field, claim, about, agent, isByAgent }) =>
    isByAgent
      ? major(say`${toned("wait", "waits")} for an answer on ${claim}`)
      : event.actor.startsWith("person:")
        ? major(
            say`${toned("good", "approves")} what ${claim} is about for ${agent}: ${approvedIn(field)}`,
          )
        : major(
            say`${toned("wait", "asks")} ${toned("strong", agent)} to approve or reject ${about}${approvalsIn(field)}`,
          ),
  grant_cancelled: ({ claim, agent, reason }) =>
    major(say`cancels the work of ${agent} on ${claim}`, { reason, tone: "bad" }),
  result_refused: ({ claim, field, because }) => {
    const how =
      field("source") === ""
        ? toned("bad", "too late")
        : say`that ${toned("bad", "must be made again")}`;
    return major(say`delivers a result of ${claim} ${how}${because}`);
  },
  mail_refused: ({ agent, because }) =>
    major(say`${toned("bad", "refuses")} what ${agent} has sent${because}`),
  grant_examined: ({ event, field, agent, claim, attempt }) => {
    const image = field("image") === "" ? [] : say`, with ${toned("wait", "another image")}`;
    const work = say`the work of ${agent} on ${claim}${attempt}${image}`;
    if (field("how") === "shell") return minor(say`looks at ${work} in a shell`);
    const isSame = event.data?.same === true;
    const result = isSame ? toned("good", "the same result") : toned("wait", "another result");
    return major(say`runs ${work} again: ${result}`);
  },
  claim_completed: ({ claim }) => major(say`${toned("good", "completes")} ${claim}`),
  claim_terminated: ({ claim, reason }) =>
    major(say`${toned("bad", "terminates")} ${claim}`, { reason }),
  goal_ended: ({ field, onRequest }) => {
    const ending =
      field("ending") === "artefact_limit"
        ? "it has reached the limit of artefacts"
        : field("ending");
    return major(say`${toned("bad", "ends")} the goal: ${ending}${onRequest}`);
  },
  question_asked: ({ about }) => major(say`${toned("wait", "passes")} question ${about} to people`),
  question_closed: ({ about, because }) => minor(say`closes question ${about}${because}`),
  cancel_requested: ({ because }) =>
    major(say`asks to ${toned("bad", "cancel")} the goal${because}`),
  pause_requested: ({ event, because }) => {
    const what = event.goal_id ? "the goal" : "the instance";
    return major(say`asks to ${toned("wait", "pause")} ${what}${because}`);
  },
  resume_requested: ({ event, because }) =>
    major(say`asks to resume ${event.goal_id ? "the goal" : "the instance"}${because}`),
  retry_requested: ({ about }) => major(say`asks to retry the claim that failed with ${about}`),
  request_refused: ({ because }) => major(say`${toned("bad", "refuses")} the request${because}`),
  instance_paused: ({ onRequest }) =>
    major(say`${toned("wait", "pauses")} the instance${onRequest}`),
  instance_resumed: ({ onRequest }) =>
    major(say`resumes the instance${onRequest}`, { tone: "good" }),
  goal_paused: ({ onRequest }) => major(say`${toned("wait", "pauses")} the goal${onRequest}`),
  goal_resumed: ({ onRequest }) => major(say`resumes the goal${onRequest}`, { tone: "good" }),
  model_called: callSentence,
  tool_called: ({ field, claim, agent, reason: _ }) => {
    const what = say`${field("tool")} of ${field("server")} for ${agent} on ${claim}`;
    const outcome = field("outcome");
    if (outcome === "ok") return minor(say`calls ${what}`);
    const problem = field("problem") === "" ? [] : say`: ${field("problem")}`;
    return minor(
      say`a call of ${what} ${toned(outcome === "asked" ? "wait" : "bad", toolEndings[outcome] ?? "has failed")}${problem}`,
    );
  },
  tool_changed: ({ event, field }) => {
    const then = event.data?.is_refused === true ? say`, and is not called any more` : [];
    return major(
      say`${toned("wait", "warns")}: ${field("server")} says something else of its tool ${field("tool")} than before${then}`,
    );
  },
  budget_raised: ({ event }) =>
    major(say`${toned("good", "raises")} ${raisedBudget(event)} by ${raisedBy(event)}`),
  budget_nearly_reached: ({ event, field }) =>
    major(
      say`${toned("wait", "warns")}: ${spentOf(event)} of ${periodBudget(field("whose"), field("period"))}`,
    ),
  budget_reached: ({ event, field }) =>
    major(
      say`${toned("bad", "holds")} new work: ${spentOf(event)} of ${periodBudget(field("whose"), field("period"))}`,
    ),
  budget_freed: ({ field }) =>
    major(say`lets new work begin that ${periodBudget(field("whose"), field("period"))} has held`, {
      tone: "good",
    }),
  workspace_prepared: ({ agent, field }) =>
    minor(
      say`has prepared what ${agent} begins with: ${formatCount(Number(field("files")))} files (${field("digest").slice(0, 19)}…)`,
    ),
  trigger_fired: ({ event }) => major(fired(event)),
  trigger_skipped: ({ event, because }) => minor(skipped(event, because), { tone: "wait" }),
  forge_step: forgeStep,
  goals_pruned: ({ field }) =>
    major(
      say`moves ${field("goals")} goals to ${field("file")} (sha256 ${field("sha256").slice(0, 12)}…)`,
    ),
  artefact_erased: ({ about, because }) =>
    major(say`${toned("bad", "erases")} the content of ${about}${because}`),
  event_given_up: ({ field, because }) =>
    major(
      say`${toned("bad", "gives up")} on an event for now (${namedType(field("type"))})${because}`,
    ),
  connections_ended: ({ event, field }) => {
    const whose = event.agent ?? `user ${field("user")}`;
    return major(
      say`${toned("bad", "ends")} the connections of ${whose} to Redis${overLimit(field)}`,
    );
  },
  mail_dropped: ({ agent, field }) =>
    major(
      say`${toned("bad", "drops")} ${field("messages") || "the"} unread messages of ${agent}, which filled Redis`,
    ),
  api_called: ({ field }) => {
    const call = field("tool") || `${field("method")} ${field("path")}`;
    return minor(say`calls ${call} of the API with token ${field("token")}: ${field("status")}`);
  },
  unreadable: ({ field, because }) =>
    major(
      say`an entry of the log ${toned("bad", "cannot be read")} (${namedType(field("type"))})${because}`,
    ),
};

const toolEndings: Readonly<Record<string, string>> = {
  asked: "waits for a person",
  error: "ended with an error",
  refused: "was refused",
  failed: "has failed",
};

/** The type of an event, or the text in its place in the log. */
function namedType(type: string): string {
  return type === "" ? "without a type" : `type ${type.replaceAll("_", " ")}`;
}

/** `1 of 2 approvals`; the person of the event has given the last one. */
function approvedIn(field: Field): string {
  const [number, needed] = [field("approved"), field("approvals")];
  if (Number(number) < Number(needed)) return `${number} of ${needed} approvals`;
  return `one of ${needed} approvals, as an earlier one counts no more`;
}

/** The count, if one approval of any person is not enough. */
function approvalsIn(field: Field): readonly Segment[] {
  if (field("approvals") === "") return [];
  const notBy = field("not_by") === "" ? "" : `, not of ${field("not_by").split(" ").join(" or ")}`;
  const number = Number(field("approvals"));
  return say` (${number} approval${number === 1 ? "" : "s"}${notBy})`;
}

function overLimit(field: Field): readonly Segment[] {
  if (field("calls") !== "")
    return say`, which it kept busy: ${field("calls")} commands took ${field("ms")} ms`;
  return field("connections") === ""
    ? []
    : say`: ${field("connections")}, of at most ${field("limit")}`;
}

/** An agent of the same role does the work of another agent. */
function inPlaceOf(field: Field): readonly Segment[] {
  return field("instead_of") === ""
    ? []
    : say`, in place of ${field("instead_of")}: ${field("because")}`;
}
