// What a goal waits for, in words: who, what, and why it has not happened yet. Pure.
import type { WaitingView } from "../data/contract.ts";
import { clockTime, shortId } from "./words.ts";

export function waitingText(waiting: WaitingView): { who: string; what: string; why: string } {
  return { ...whoAndWhat(waiting), why: whyText(waiting.why) };
}

function whoAndWhat(waiting: WaitingView): { who: string; what: string } {
  switch (waiting.kind) {
    case "bid":
      return { who: waiting.agent, what: `must bid on claim ${shortId(waiting.claim)}` };
    case "start":
      return { who: waiting.agent, what: `is granted claim ${shortId(waiting.claim)} and has not begun` };
    case "work":
      return { who: waiting.agent, what: `works on claim ${shortId(waiting.claim)}` };
    case "retry":
      return {
        who: waiting.agent,
        what: `tries again at ${clockTime(waiting.retry_at)} (attempt ${waiting.attempt} failed: ${waiting.reason})`,
      };
    case "decision":
      return { who: "orchestrator", what: `decides about claim ${shortId(waiting.claim)}` };
    case "answer":
      return { who: "a person", what: `must answer question ${shortId(waiting.question)}` };
    case "approval":
      return { who: waiting.agent, what: `must approve or reject ${shortId(waiting.artefact)}` };
    case "claim":
      return { who: "orchestrator", what: `opens a claim on ${shortId(waiting.artefact)}` };
    case "repair":
      return { who: "a person", what: `must repair claim ${shortId(waiting.claim)}: ${waiting.problem}` };
    default:
      return { who: "", what: "" };
  }
}

function whyText(why: WaitingView["why"]): string {
  switch (why?.reason ?? "alive") {
    case "alive":
    case "person":
    case "external":
      return "";
    case "unregistered":
      return "it is not registered";
    case "unreadable":
      return "its registration cannot be read";
    case "silent":
      return typeof why?.last_heard === "string" ? `silent since ${clockTime(why.last_heard)}` : "it has never sent a heartbeat";
    case "busy":
      return Array.isArray(why?.claims) ? `busy with claim ${why.claims.map((id) => shortId(String(id))).join(", ")}` : "busy";
    case "paused":
      return "the instance is paused";
    default:
      return why?.reason ?? "";
  }
}
