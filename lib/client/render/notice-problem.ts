// The sentence about a webhook that could not be notified.
import type { NoticeProblem } from "../../model/notify.ts";
import { lastingSince } from "../../words/age.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";

/** `nowMs`: Redis TIME. */
export function noticeProblemSentence(
  problem: NoticeProblem,
  nowMs: number,
  suggest: Suggest,
): string {
  const { to, since, reason, is_given_up } = problem;
  const what = `The webhook ${oneLine(to)} could not be notified for ${lastingSince(since, nowMs)}: ${sentence(oneLine(reason))}`;
  const next = is_given_up
    ? "That notification is given up; the next one is tried."
    : "It is tried again.";
  return `${what} ${next} ${noticeRemedy(to, suggest)}`;
}

export function noticeRemedy(to: string, suggest: Suggest): string {
  const correct = `Or correct \`notify\` in sett.yml, then \`${suggest("up")}\`.`;
  const { hostname } = new URL(to);
  const isItself = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (isItself)
    return `In a container ${hostname} is the container itself: this machine is host.docker.internal. ${correct}`;
  // Containers come to this machine by its bridge, which is neither its loopback nor open in most
  // firewalls.
  const isThisMachine = hostname === "host.docker.internal";
  if (isThisMachine)
    return `Does it run, listen on more than 127.0.0.1, and does this machine's firewall let containers reach it? ${correct}`;
  return `Does it run, and listen where containers reach it? ${correct}`;
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
