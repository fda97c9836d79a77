// What is wrong or doubtful in `triggers` of sett.yml: expressions of cron, events of forges, and
// the texts of goals.
import type { SettConfig } from "../model/config.ts";
import { Forge, type Trigger, type WebhookTrigger } from "../model/trigger.ts";
import { cronProblem, nextRun } from "../triggers/cron.ts";
import { fieldsOf } from "../triggers/fields.ts";
import { commentEvents, forgeEvents, strangersEvents } from "../triggers/forge-names.ts";
import { templateProblems } from "../triggers/goal-text.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

type Finding = { path: ConfigPath; sentence: string };
type DataMap = Readonly<Record<string, unknown>>;

/** All as the file has them: the schema reports what is of another kind. */
export function triggerMistakes(triggers: DataMap, secrets: DataMap, services: DataMap): Finding[] {
  return Object.entries(triggers).flatMap(([name, settings]) => {
    const trigger = mapOf(settings);
    const webhook = mapOf(trigger.webhook);
    const at = (...path: (string | number)[]) => ["triggers", name, ...path];
    const isDeaf = trigger.webhook !== undefined && services.api === undefined;
    const deaf = "needs `services: { api: … }`, to which the forge posts";
    return [
      ...(isDeaf ? [{ path: at("webhook"), sentence: deaf }] : []),
      ...mistakes(trigger.cron, at("cron"), (text) => cronProblem(text)),
      ...mistakes(webhook.secret, at("webhook", "secret"), (secret) =>
        unknownSecret(secret, Object.keys(secrets)),
      ),
      ...(Array.isArray(webhook.events) ? webhook.events : []).flatMap((event: unknown, index) =>
        mistakes(event, at("webhook", "events", index), (text) =>
          unknownEvent(webhook.forge, text),
        ),
      ),
      ...(typeof trigger.goal === "string"
        ? templateProblems(trigger.goal, fieldsOf[kindOf(trigger)])
        : []
      ).map((sentence) => ({
        path: at("goal"),
        sentence,
      })),
    ];
  });
}

/** `now`: only a time that no year has is warned of, so that its choice does not matter. */
export function triggerWarnings(
  { triggers }: Pick<SettConfig, "triggers">,
  now = new Date(),
): Finding[] {
  return triggers.flatMap((trigger) => warningsOf(trigger, now));
}

function warningsOf(trigger: Trigger, now: Date): Finding[] {
  const at = (...path: (string | number)[]) => ["triggers", trigger.name, ...path];
  if (trigger.kind === "cron") {
    const never = `never comes: no date fits \`${trigger.cron}\``;
    return nextRun(trigger, now) === undefined ? [{ path: at("cron"), sentence: never }] : [];
  }
  if (trigger.kind === "tag") return [];
  const { forge, events } = trigger;
  const odd = events.flatMap((event, index) => {
    const [kind = "", action] = event.split(".");
    const actions = forgeEvents[forge][kind] ?? [];
    if (action === undefined || actions.includes(action)) return [];
    const known =
      actions.length === 0
        ? "it has none"
        : `known are ${actions.map((one) => `\`${one}\``).join(", ")}`;
    const meant = nearestWord(action, actions);
    const remedy = meant === undefined ? known : `did you mean \`${kind}.${meant}\`?`;
    return [
      {
        path: at("webhook", "events", index),
        sentence: `names an action that Sett does not know of \`${kind}\`: ${remedy}`,
      },
    ];
  });
  return [...odd, ...openToAll(trigger, at("webhook", "events"))];
}

/**
 * Otherwise a comment that an agent writes with the outcome would state the next goal, and
 * strangers would spend the budget.
 */
function openToAll(
  { forge, events, people, comment, guards_secrets }: WebhookTrigger,
  path: ConfigPath,
): Finding[] {
  if (people.length > 0) return [];
  const causes = (event: string) => {
    const [kind = "", action] = event.split(".");
    const actions = strangersEvents[forge][kind];
    return actions !== undefined && (action === undefined || actions.includes(action));
  };
  const isComment = (event: string) => event.split(".")[0] === commentEvents[forge];
  const open = events.filter(causes);
  const comments = `lets every comment state a goal, also one that an agent writes: \`comment: /sett\` or \`people: […]\` says which`;
  const others = open.filter((event) => !isComment(event)).map((event) => `\`${event}\``);
  const subject = others.length === 1 ? `${others[0]} lets` : `${others.join(", ")} let`;
  const strangers = `${subject} everyone who may read the project state a goal, and pay with your budget: \`people: […]\` says who may`;
  const merges = events.some((event) =>
    ["pull_request", "merge_request"].includes(event.split(".")[0] ?? ""),
  );
  const forks =
    "states no goal about code of a fork, because agents have secrets: `people: […]` says whose events let it run";
  return [
    ...(comment === undefined && open.some(isComment) ? [comments] : []),
    ...(others.length > 0 ? [strangers] : []),
    ...(guards_secrets && merges ? [forks] : []),
  ].map((sentence) => ({ path, sentence }));
}

function mistakes(
  value: unknown,
  path: ConfigPath,
  problemOf: (text: string) => string | undefined,
): Finding[] {
  const sentence = typeof value === "string" ? problemOf(value) : undefined;
  return sentence === undefined ? [] : [{ path, sentence }];
}

function unknownSecret(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return undefined;
  const meant = nearestWord(name, names);
  if (meant !== undefined) return `\`secrets\` has no \`${name}\`: did you mean \`${meant}\`?`;
  return `\`secrets\` has no \`${name}\`: the file needs \`secrets: { ${name}: { file: … } }\`, which says where it comes from`;
}

function unknownEvent(forgeName: unknown, event: string): string | undefined {
  const forge = Forge.safeParse(forgeName).data;
  const [kind = ""] = event.split(".");
  // The schema reports what is no event's name at all.
  if (forge === undefined || !/^[a-z_]+$/.test(kind) || Object.hasOwn(forgeEvents[forge], kind))
    return undefined;
  const known = Object.keys(forgeEvents[forge]);
  const meant = nearestWord(kind, known);
  const remedy =
    meant === undefined
      ? `known are ${known.map((one) => `\`${one}\``).join(", ")}`
      : `did you mean \`${meant}\`?`;
  return `is no event of ${forge} that Sett knows: ${remedy}`;
}

function kindOf({ cron, webhook }: DataMap): Trigger["kind"] {
  if (cron !== undefined) return "cron";
  return webhook === undefined ? "tag" : "webhook";
}

function mapOf(data: unknown): DataMap {
  return typeof data === "object" && data !== null && !Array.isArray(data)
    ? Object.fromEntries(Object.entries(data))
    : {};
}
