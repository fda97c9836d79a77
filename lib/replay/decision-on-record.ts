// Decisions as the log has them: which events are of one, what it says, and what it was based on.
import type { Presence } from "../core/presence.ts";
import type { RegisteredAgent } from "../model/agent.ts";
import type { Grant } from "../model/claim.ts";
import type { EventDraft, SettEvent } from "../model/event.ts";
import { type Basis, FactDigest } from "../model/fact.ts";
import { AgentName } from "../model/ids.ts";
import { withoutUndefined } from "../model/without-undefined.ts";

/** A decision writes events of these types alone. */
const decided = new Set<SettEvent["type"]>([
  "bid_imposed",
  "bids_placed",
  "bidding_closed",
  "claim_completed",
  "claim_terminated",
  "grant_queued",
  "grant_waiting",
  "grant_retrying",
  "grant_cancelled",
  "grant_failed",
  "question_closed",
]);

export function isDecision(event: SettEvent): boolean {
  return mayBeDecision(event) && event.data?.rev !== undefined;
}

/** Also of a version that wrote no `rev`, by which the events of one decision are known. */
export function mayBeDecision({ type, actor, claim_id }: SettEvent): boolean {
  return claim_id !== undefined && /^orchestrator:/.test(actor) && decided.has(type);
}

/** True of the grant of a claim that begins with one. */
export function isFirstGrant(event: SettEvent): boolean {
  const isGrant = event.type === "grant_queued" || event.type === "grant_waiting";
  return isGrant && mayBeDecision(event) && event.data?.rev === undefined;
}

/** One write is whole: its events about a claim follow each other. */
export function isOfOneWrite(first: SettEvent, next: SettEvent): boolean {
  if (first.claim_id !== next.claim_id || next.type === "claim_opened") return false;
  if (first.type !== "claim_opened") return isDecision(next) && first.data?.rev === next.data?.rev;
  return isFirstGrant(next) || (isDecision(next) && next.data?.rev === 0);
}

const why = new Set(["rev", "trigger", "registry", "policy", "paths"]);

/** Without what says only why, when and on what ground; a Failure has an id of chance. */
export function textOf(events: readonly (EventDraft | SettEvent)[]): string {
  return events
    .map(({ type, agent = "", artefact_id = "", data = {} }) => {
      const words = Object.entries(data)
        .filter(([name]) => !why.has(name))
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      const about = type === "grant_failed" ? "" : artefact_id;
      return [type, agent, about, ...words].filter((word) => word !== "").join(" ");
    })
    .join("; ");
}

/** Undefined where the event does not name it. */
export function basisIn({ data = {} }: SettEvent): Basis | undefined {
  const registry = FactDigest.safeParse(data.registry).data;
  const policy = FactDigest.safeParse(data.policy).data;
  const paths = FactDigest.safeParse(data.paths).data;
  if (registry === undefined || policy === undefined) return undefined;
  return { registry, policy, ...withoutUndefined({ paths }) };
}

/** A choice between equal bids says what was known of the agents. */
export function presenceIn(
  events: readonly SettEvent[],
  agents: readonly RegisteredAgent[],
  grants: readonly Grant[],
): Presence {
  const data = events.find((event) => event.data?.busy ?? event.data?.silent)?.data ?? {};
  const wordsOf = (list: unknown) => (typeof list === "string" ? list.split(" ") : []);
  const atWork = new Map(
    wordsOf(data.busy).flatMap((word): [AgentName, number][] => {
      const [name, before] = word.split(":");
      const agent = agents.find((one) => one.name === name);
      if (agent === undefined) return [];
      const hasOwn = grants.some(
        (one) => one.agent === name && (one.state === "queued" || one.state === "running"),
      );
      return [[agent.name, Number(before) * agent.replicas + (hasOwn ? 1 : 0)]];
    }),
  );
  const silent = wordsOf(data.silent).flatMap((name) => AgentName.safeParse(name).data ?? []);
  return { silent: new Set(silent), atWork };
}
