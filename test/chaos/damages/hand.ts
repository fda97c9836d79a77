// A hand for damaging a history of one goal: finds its records by what they mean, and changes them
// whatever the types say.
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { Grant } from "../../../lib/model/claim.ts";
import type { EventType, SettEvent } from "../../../lib/model/event.ts";
import type { ClaimRecord, History } from "../history.ts";

/** Rule, what is done, and how. */
export type Damage = readonly [rule: string, title: string, damage: (history: History) => void];

export const stranger = "00000000-0000-4000-8000-000000000000";

/** Whatever the types say: what is checked here may hold anything. */
export function change<Target extends object>(
  target: Target,
  values: Record<string, unknown>,
): Target {
  return Object.assign(target, values);
}

export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`The history has no ${what}.`);
  return value;
}

export function artefact({ artefacts }: History, type: string, version = 1): Artefact {
  const isIt = (one: Artefact) => one.type === type && one.version === version;
  return found([...artefacts.values()].find(isIt), `${type} ${version}`);
}

export function claim(history: History, type: string, version = 1, kind = "standard"): ClaimRecord {
  const { id } = artefact(history, type, version);
  const isIt = (one: ClaimRecord) => one.artefact_id === id && one.kind === kind;
  return found([...history.claims.values()].find(isIt), `${kind} claim on ${type} ${version}`);
}

export function grant(of: ClaimRecord, agent: string): Grant {
  return found(
    of.grants.find((one) => one.agent === agent),
    `grant of ${agent}`,
  );
}

export function event(
  { events }: History,
  type: EventType,
  about: { claim?: ClaimRecord; agent?: string; artefact?: Artefact } = {},
) {
  const isIt = (one: SettEvent) =>
    one.type === type &&
    (about.claim === undefined || one.claim_id === about.claim.id) &&
    (about.agent === undefined || one.agent === about.agent) &&
    (about.artefact === undefined || one.artefact_id === about.artefact.id);
  // The last: a first attempt may have failed.
  return found(events.findLast(isIt), `event ${type}`);
}

export function drop(history: History, ...gone: SettEvent[]): void {
  history.events = history.events.filter((one) => !gone.includes(one));
}

export function repeat(history: History, one: SettEvent): void {
  history.events.splice(history.events.indexOf(one), 0, structuredClone(one));
}

export function moveBehind(history: History, one: SettEvent, other: SettEvent): void {
  drop(history, one);
  history.events.splice(history.events.indexOf(other) + 1, 0, one);
}

/** The commit that everybody works on. */
export const release = (history: History) => claim(history, "CodeCommit", 2);

/** The review that approves. */
export function approval({ artefacts }: History): Artefact {
  return found(
    [...artefacts.values()].find(({ type, payload }) => type === "Review" && payload === "{}"),
    "approval",
  );
}
