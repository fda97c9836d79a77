// Triggers that state a goal for an event of a forge, which the forge posts.
import { randomUUID } from "node:crypto";
import { isSecretName } from "../../model/config-secrets.ts";
import { SettError } from "../../model/errors.ts";
import { Forge, type WebhookTrigger } from "../../model/trigger.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import { arrivalsField, placeArrival } from "../arrivals.ts";
import { type DeliveredEvent, deliveredEvent } from "../delivery-id.ts";
import type { ForgeTraits } from "../forge.ts";
import type { ForgeEvent } from "../forge-event.ts";
import { forges } from "../forges.ts";
import type { FileFacts, Finding, KindOfTrigger, Nearest, RawMap, TriggerPort } from "../kind.ts";
import { matchEvent } from "../match-event.ts";
import { shortLine } from "../outside-text.ts";
import { readForgeEvent } from "../read-forge-event.ts";

export const webhook: KindOfTrigger<WebhookTrigger> = {
  fields: [
    ...(["trigger", "time", "event", "title", "author", "branch", "url", "repository"] as const),
    ...(["number", "commit", "body", "comment", "tag"] as const),
  ],
  resolve({ webhook }, { guardsSecrets }) {
    if (webhook === undefined) throw new Error("The entry is no webhook.");
    const { comment, ...rest } = webhook;
    const guards_secrets = guardsSecrets ? (true as const) : undefined;
    return { kind: "webhook", ...rest, ...withoutUndefined({ comment, guards_secrets }) };
  },
  mistakes,
  warnings: (trigger, { nearest }) => [
    ...unknownActions(trigger, nearest),
    ...openToAll(trigger).map((sentence) => ({ path: ["webhook", "events"], sentence })),
  ],
  secretOf: ({ secret }) => secret,
  async receive(port, trigger, { header, readBody, waitOf }) {
    const forge = forges[trigger.forge];
    const secret = (await port.secretOf(trigger.secret))?.trim();
    if (secret === undefined || secret === "") {
      const problem = `The API does not have the secret ${trigger.secret}, with which deliveries are checked.`;
      throw new SettError("not-ready", problem, { hint: "`sett up` gives it to the API." });
    }
    const check = forge.checkSignature(header, secret, port.now());
    if (check.kind === "refused") throw new SettError("not-authenticated", check.reason);
    const body = await readBody(check.part);
    const problem = check.problem();
    if (problem !== undefined) throw new SettError("not-authenticated", problem);
    const seconds = waitOf();
    if (seconds !== undefined) return { outcome: "too-many", seconds };
    const reading = readForgeEvent(trigger.forge, header, new TextDecoder().decode(body));
    if (reading.kind === "ping") return { outcome: "ping" };
    if (reading.kind === "unknown") throw new SettError("usage", reading.reason);
    const { event } = reading;
    const delivered = deliveredEvent(trigger.forge, {
      ...{ header, body, event, fallbackId: randomUUID() },
    });
    const happened = await happenedIn(port, trigger, delivered);
    const match = matchEvent(trigger, event);
    if (match.kind === "fires") {
      const fired = await port.fire(trigger, momentOf(trigger, event, happened, port.now()));
      return { outcome: "fired", ...fired };
    }
    // An event that the trigger does not name is none of its affair.
    if (match.kind === "skip")
      await port.skip(trigger, { cause: event.about, reason: match.reason });
    return { outcome: "skipped", reason: match.reason };
  },
};

/**
 * Also events that state no goal are on record, as they come between two that say the same. It is
 * written before the goal is stated: a delivery that is sent again after a failure states it.
 */
async function happenedIn(
  port: TriggerPort,
  trigger: WebhookTrigger,
  { happened, arrival }: DeliveredEvent,
): Promise<string[]> {
  if (arrival === undefined) return happened;
  return await port.inTurn(trigger.name, async () => {
    const recorded = (await port.read(trigger.name)).get(arrivalsField);
    const { nth, value } = placeArrival(recorded, arrival, port.now());
    if (value !== undefined) await port.record(trigger, { mark: arrivalsField, value });
    return nth === 0 ? happened : [...happened, String(nth)];
  });
}

function momentOf(
  { forge }: WebhookTrigger,
  { about, commit, issue, fields }: ForgeEvent,
  happened: readonly string[],
  now: Date,
) {
  return {
    happened: ["webhook", forge, ...happened],
    cause: shortLine(about),
    values: { ...fields, time: now.toISOString() },
    source: forges[forge].label,
    ...{ commit, issue },
  };
}

function mistakes(entry: RawMap, { secrets, services, nearest }: FileFacts): Finding[] {
  if (entry.webhook === undefined) return [];
  const { secret, events, forge }: RawMap = Object(entry.webhook);
  const findings: [path: (string | number)[], sentence: string | undefined][] = [
    [
      [],
      services.api === undefined
        ? "needs `services: { api: … }`, to which the forge posts"
        : undefined,
    ],
    [["secret"], unknownSecret(secret, Object.keys(secrets), nearest)],
    ...(Array.isArray(events) ? events : []).map(
      (event: unknown, at): [(string | number)[], string | undefined] => [
        ["events", at],
        unknownEvent(forge, event, nearest),
      ],
    ),
  ];
  return findings.flatMap(([path, sentence]) =>
    sentence === undefined ? [] : [{ path: ["webhook", ...path], sentence }],
  );
}

function unknownSecret(name: unknown, names: readonly string[], nearest: Nearest) {
  if (!isSecretName(name) || names.includes(name)) return undefined;
  const meant = nearest(name, names);
  if (meant !== undefined) return `\`secrets\` has no \`${name}\`: did you mean \`${meant}\`?`;
  return `\`secrets\` has no \`${name}\`: the file needs \`secrets: { ${name}: { file: … } }\`, which says where it comes from`;
}

function unknownEvent(forgeName: unknown, event: unknown, nearest: Nearest) {
  const forge = Forge.safeParse(forgeName).data;
  const [name = ""] = typeof event === "string" ? event.split(".") : [];
  // The schema reports what is no event's name at all.
  if (forge === undefined || !/^[a-z_]+$/.test(name)) return undefined;
  const { events } = forges[forge];
  if (Object.hasOwn(events, name)) return undefined;
  const known = Object.keys(events);
  const place = elsewhere(forge, (events) => Object.hasOwn(events, name));
  const meant = place === "" ? nearest(name, known) : undefined;
  const remedy =
    meant === undefined ? `${place}known are ${quoted(known)}` : `did you mean \`${meant}\`?`;
  return `is no event of ${forge} that Sett knows: ${remedy}`;
}

/** Names the forges whose own word it is, before what this one has. */
function elsewhere(forge: Forge, has: (events: ForgeTraits["events"]) => boolean): string {
  const others = Forge.options.filter((one) => one !== forge && has(forges[one].events));
  if (others.length === 0) return "";
  return `${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(others.map((one) => `\`forge: ${one}\``))} has it; `;
}

/** A forge may have actions that Sett does not know yet. */
function unknownActions({ forge, events }: WebhookTrigger, nearest: Nearest): Finding[] {
  return events.flatMap((event, at) => {
    const [name = "", action] = event.split(".");
    const actions = forges[forge].events[name]?.all ?? [];
    if (action === undefined || actions.includes(action)) return [];
    const known = actions.length === 0 ? "it has none" : `known are ${quoted(actions)}`;
    const meant = nearest(action, actions);
    const place = elsewhere(forge, (events) => events[name]?.all.includes(action) ?? false);
    const remedy = meant === undefined ? place + known : `did you mean \`${name}.${meant}\`?`;
    const sentence = `names an action that Sett does not know of \`${name}\`: ${remedy}`;
    return [{ path: ["webhook", "events", at], sentence }];
  });
}

/**
 * Otherwise a comment that an agent writes with the outcome would state the next goal, and
 * strangers would spend the budget.
 */
function openToAll({ forge, events, people, comment, guards_secrets }: WebhookTrigger): string[] {
  if (people.length > 0) return [];
  const { events: known, commentEvent, mergeEvent } = forges[forge];
  const open = events.filter((event) => {
    const [name = "", action] = event.split(".");
    const actions = known[name]?.byAnyone ?? [];
    return action === undefined ? actions.length > 0 : actions.includes(action);
  });
  const isOf = (name: string) => (event: string) => event.split(".")[0] === name;
  const isAboutMerging = (event: string) => event.startsWith(mergeEvent);
  const comments =
    "lets every comment state a goal, also one that an agent writes: `comment: /sett` or `people: […]` says which";
  const others = open.filter((event) => !isOf(commentEvent)(event)).map((event) => `\`${event}\``);
  const subject = others.length === 1 ? `${others[0]} lets` : `${others.join(", ")} let`;
  const strangers = `${subject} everyone who may read the project state a goal, and pay with your budget: \`people: […]\` says who may`;
  const forks =
    "states no goal about code of a fork, because agents have secrets: `people: […]` says whose events let it run";
  return [
    ...(comment === undefined && open.some(isOf(commentEvent)) ? [comments] : []),
    ...(others.length > 0 ? [strangers] : []),
    ...(guards_secrets && events.some(isAboutMerging) ? [forks] : []),
  ];
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}
