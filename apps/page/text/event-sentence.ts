// What an event of the log says, for people: a symbol, a tone and a sentence without its actor. Pure.

import type { SettEvent } from "../data/contract.ts";
import { bidsInText } from "./bids-in-text.ts";
import { shortId } from "./words.ts";

export type Weight = "major" | "minor";
export type Sentence = { text: string; tone: "plain" | "good" | "bad" | "wait" | "work"; weight: Weight };

type Field = (name: string) => string;
type Writer = (event: SettEvent, field: Field) => [text: string, tone?: Sentence["tone"], weight?: Weight];

export function eventSentence(event: SettEvent): Sentence {
  const field: Field = (name) => String(event.data?.[name] ?? "");
  const [text, tone = "plain", weight = "major"] = writers[event.type]?.(event, field) ?? [event.type.replaceAll("_", " ")];
  return { text, tone, weight };
}

const because = (field: Field) => (field("reason") === "" ? "" : `: ${field("reason")}`);
const claim = ({ claim_id }: SettEvent) => `claim ${shortId(claim_id ?? "")}`;
const agentOf = ({ agent }: SettEvent) => agent ?? "an agent";
const attempt = (field: Field) => (Number(field("attempt")) > 1 ? `, attempt ${field("attempt")}` : "");
const calledName = (field: Field) => (field("tool") === "" ? `${field("method")} ${field("path")}` : `the tool ${field("tool")}`);
const onRequest = (field: Field) => (field("by") === "" ? "" : ", on request");

/** A type that this page does not know is shown by its name. */
const writers: Partial<Record<string, Writer>> = {
  instance_started: (_, field) => [`starts this sett${field("known_before") === "" ? "" : ", with a new blackboard"}`],
  instance_stopped: () => ["stops this sett"],
  agent_registered: (event) => [`registers agent ${agentOf(event)}`, "plain", "minor"],
  agent_replaced: (event, field) => [`replaces agent ${agentOf(event)}: ${field("changed")} changed`, "plain", "minor"],
  agent_removed: (event) => [`removes agent ${agentOf(event)}`, "plain", "minor"],
  orchestrator_started: (_, field) => [`acquires the leader lease, epoch ${field("epoch")}`, "plain", "minor"],
  artefact_created: artefactCreated,
  artefact_refused: (event, field) => [`refuses artefact ${shortId(event.artefact_id ?? "")}${because(field)}`, "bad"],
  claim_opened: (event) => [`opens ${claim(event)}`],
  claim_announced: (event) => [`announces ${claim(event)} again`, "plain", "minor"],
  bids_placed: (event, field) => [
    `notes the bids on ${claim(event)}: ${bidsText(field("bids"))}`,
    "plain",
    bidsWeight(field("bids")),
  ],
  bid_placed: (event, field) => [
    `bids ${field("word")} on ${claim(event)}${because(field)}`,
    "plain",
    field("word") === "ignore" ? "minor" : "major",
  ],
  bid_imposed: (event, field) => [`bids ${field("word")} on ${claim(event)} for ${agentOf(event)}, which has not bid`],
  bid_refused: (event, field) => [
    `refuses the bid of ${field("name") || agentOf(event)} on ${claim(event)}${because(field)}`,
    "bad",
  ],
  bidding_closed: (event) => [`closes the bidding on ${claim(event)}`, "plain", "minor"],
  grant_queued: (event, field) => [`grants ${claim(event)} to ${agentOf(event)} (${field("phase")}${attempt(field)})`],
  grant_started: (event, field) => [`works on ${claim(event)}${attempt(field)}`, "work"],
  grant_done: (event) =>
    event.data?.rejects === true
      ? [`rejects what ${claim(event)} is about`, "bad"]
      : [`is done with ${claim(event)}`, "good", "minor"],
  grant_failed: (event, field) => [`fails on ${claim(event)}${because(field)}`, "bad"],
  grant_retrying: (event, field) => [
    `tries ${agentOf(event)} on ${claim(event)} again in ${Math.round(Number(field("after_ms")) / 1_000)} s`,
    "wait",
  ],
  grant_waiting: (event) => [
    event.actor.startsWith("agent:") ? `waits for an answer on ${claim(event)}` : `asks ${agentOf(event)} for a verdict`,
    "wait",
  ],
  grant_cancelled: (event, field) => [`cancels the work of ${agentOf(event)} on ${claim(event)}${because(field)}`, "bad"],
  result_refused: (event, field) => [`refuses a result of ${claim(event)}${because(field)}`, "bad"],
  mail_refused: (event, field) => [`refuses what ${agentOf(event)} has sent${because(field)}`, "bad"],
  claim_completed: (event) => [`completes ${claim(event)}`, "good"],
  claim_terminated: (event, field) => [`terminates ${claim(event)}${because(field)}`, "bad"],
  goal_ended: (_, field) => [`ends the goal: ${field("ending").replaceAll("_", " ")}${onRequest(field)}`, "bad"],
  question_asked: (event) => [`passes question ${shortId(event.artefact_id ?? "")} to people`, "wait"],
  question_closed: (event, field) => [`closes question ${shortId(event.artefact_id ?? "")}${because(field)}`, "plain", "minor"],
  cancel_requested: () => ["asks to cancel the goal", "bad"],
  pause_requested: () => ["asks to pause the instance", "wait"],
  resume_requested: () => ["asks to resume the instance"],
  retry_requested: (event) => [`asks to try again what failed with ${shortId(event.artefact_id ?? "")}`],
  request_refused: (_, field) => [`refuses the request${because(field)}`, "bad"],
  instance_paused: (_, field) => [`pauses the instance${onRequest(field)}`, "wait"],
  instance_resumed: (_, field) => [`resumes the instance${onRequest(field)}`, "good"],
  model_called: (_, field) => [
    `calls ${field("model")}: ${field("outcome")}, ${field("input")} + ${field("output")} tokens${because(field)}`,
    field("outcome") === "ok" ? "plain" : "bad",
    "minor",
  ],
  budget_raised: (event) => [`raises the budget of ${event.agent ?? "the goal"}`, "good"],
  goals_pruned: (_, field) => [`moves ${field("goals")} goals to ${field("file")}`],
  event_given_up: (_, field) => [`gives up on an event for now (${field("type").replaceAll("_", " ")})${because(field)}`, "bad"],
  connections_ended: (event, field) => [
    `ends ${field("connections") || "the"} connections of ${event.agent ?? field("user")}${field("calls") && ", which kept Redis busy"}`,
    "bad",
  ],
  mail_dropped: (event, field) => [`drops ${field("messages")} unread messages of ${agentOf(event)}`, "bad"],
  api_called: (_, field) => [`calls ${calledName(field)}: ${field("status")}`, "plain", "minor"],
  trigger_fired: (_, field) => [`states a goal by a trigger (${field("kind")} ${field("cause")})`],
  trigger_skipped: (_, field) => [`states no goal by a trigger (${field("kind")} ${field("cause")})${because(field)}`, "wait"],
  unreadable: (_, field) => [`an entry of the log cannot be read${because(field)}`, "bad"],
};

function artefactCreated(event: SettEvent, field: Field): ReturnType<Writer> {
  const id = shortId(event.artefact_id ?? "");
  const version = Number(field("version")) > 1 ? ` version ${field("version")}` : "";
  if (event.artefact_id !== undefined && String(event.artefact_id) === String(event.goal_id)) return [`posts the goal ${id}`];
  switch (field("structural_type")) {
    case "Failure":
      return [`posts ${field("type")} ${id}`, "bad"];
    case "Question":
      return [`asks ${id}`, "wait"];
    case "Terminal":
      return [`posts ${field("type")} ${id}${version}, the end`, "good"];
    default:
      return [`posts ${field("type")} ${id}${version}`, "good"];
  }
}

function bidsText(text: string): string {
  return bidsInText(text)
    .map(({ agent, word }) => `${agent} ${word}`)
    .join(", ");
}

function bidsWeight(text: string): Weight {
  return bidsInText(text).every(({ word }) => word === "ignore") ? "minor" : "major";
}
