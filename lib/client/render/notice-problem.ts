// The sentences about a webhook that could not be notified, and about traces that do not arrive.
import { isRefusedBy, type TraceProblem } from "../../blackboard/records/trace-problem.ts";
import type { NoticeProblem } from "../../model/notify.ts";
import { isThisMachine } from "../../model/proxy.ts";
import { lastingSince } from "../../words/age.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";

/** `nowMs`: Redis TIME. */
export function noticeProblemSentence(
  problem: NoticeProblem,
  nowMs: number,
  suggest: Suggest,
): string {
  const { since, reason, is_given_up } = problem;
  const what = `The webhook ${hookText(problem)} could not be notified for ${lastingSince(since, nowMs)}: ${sentence(oneLine(reason))}`;
  const next = is_given_up
    ? "That notification is given up; the next one is tried."
    : "It is tried again.";
  return `${what} ${next} ${noticeRemedy(problem, suggest)}`;
}

/** Its address, and its place where others have the same. */
export function hookText({ to, place }: Pick<NoticeProblem, "to" | "place">): string {
  return place === undefined ? oneLine(to) : `${oneLine(to)} (number ${place} in \`notify\`)`;
}

export function traceProblemSentence(
  problem: TraceProblem,
  nowMs: number,
  suggest: Suggest,
): string {
  const { to, since, reason } = problem;
  const what = `Traces have not reached ${oneLine(to)} for ${lastingSince(since, nowMs)}: ${sentence(oneLine(reason))}`;
  return `${what} ${traceFate(problem)} ${traceRemedy(problem, suggest)}`;
}

function traceFate({ status }: TraceProblem): string {
  return isRefusedBy(status)
    ? "Those that it refuses are not sent again."
    : "They are kept for a while, and sent again.";
}

export function noticeRemedy(problem: Reached, suggest: Suggest): string {
  return remedyFor(problem, `Or correct \`notify\` in sett.yml, then \`${suggest("up")}\`.`);
}

export function traceRemedy(problem: Reached, suggest: Suggest): string {
  return remedyFor(problem, `Or correct OTEL_EXPORTER_OTLP_ENDPOINT, then \`${suggest("up")}\`.`);
}

type Reached = { to: string; reason: string; status?: number | undefined };

function remedyFor({ to, reason, status }: Reached, correct: string): string {
  const { hostname } = new URL(to);
  // It may take the request and never answer, or what is between may drop it.
  const runs = /timed out/i.test(reason) ? "Does it run, answer in time" : "Does it run";
  if (status !== undefined && status >= 500)
    return `Something answers there: its own log says why. ${correct}`;
  if (status !== undefined)
    return `Something answers there: is it the right address, with the right path and key? ${correct}`;
  // An instance of processes reaches this machine by that name.
  if (isThisMachine(hostname))
    return `${runs}, and listen there? In a container ${hostname} is the container itself: this machine is host.docker.internal. ${correct}`;
  // Containers come to this machine by its bridge, which is neither its loopback nor open in most
  // firewalls.
  if (hostname === "host.docker.internal")
    return `${runs}, listen on more than 127.0.0.1, and does this machine's firewall let containers reach it? ${correct}`;
  return `${runs}, and listen where containers reach it? ${correct}`;
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
