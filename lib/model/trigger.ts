// Triggers, which state goals by themselves (docs/guides/triggers.md): each kind's keys in sett.yml
// and its record. lib/triggers/kinds has what a kind does, and what its words mean.
import { z } from "zod";
import { TriggerBudget } from "./config-budget.ts";
import { SecretName } from "./config-secrets.ts";

/**
 * A name is on record as the actor of its goals, and part of a Redis key and of an address: a DNS
 * label.
 */
export const TriggerName = z
  .string()
  .max(40, { error: "must have at most 40 characters" })
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, {
    error: "must be lower-case letters, digits and inner hyphens",
  })
  .brand<"TriggerName">();
export type TriggerName = z.infer<typeof TriggerName>;

/** Each is a file in lib/triggers/forges. */
export const Forge = z.enum(["github", "gitlab", "gitea"]);
export type Forge = z.infer<typeof Forge>;

/** The forges at which results become pull requests. Each is a file in lib/forge/kinds. */
export const ReviewingForge = Forge.extract(["github", "gitea"]);
export type ReviewingForge = z.infer<typeof ReviewingForge>;

/**
 * The fate of runs whose time has passed while no program looked: they are left out, or one goal is
 * stated for all of them.
 */
export const MissedRuns = z.enum(["once", "skip"]);
export type MissedRuns = z.infer<typeof MissedRuns>;

const Pattern = z.string().min(1, { error: "must not be empty" }).max(200);

const isTimeZone = (name: string) => {
  try {
    return (
      /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== ""
    );
  } catch {
    return false;
  }
};

const Webhook = z
  .strictObject({
    forge: Forge.describe("Whose webhook it is: how it is signed, and what its events are called."),
    secret: SecretName.describe(
      "The name in `secrets` of what the forge signs with: GitHub's or Gitea's secret; GitLab's secret token, or its signing token (`whsec_…`).",
    ),
    events: z
      .array(
        z.string().regex(/^[a-z_]{1,60}(?:\.[a-z_]{1,60})?$/, {
          error: "must be an event such as `push` or `pull_request.opened`",
        }),
      )
      .min(1, { error: "must not be empty: `[push]`, `[pull_request.opened]`" })
      .max(50)
      .describe(
        "The events that state a goal, with the action behind a dot; without it, every action does.",
      ),
    branches: z
      .array(Pattern)
      .max(50)
      .default([])
      .describe(
        "Only what is pushed to, or asks to be merged into, one of these branches; `*` is any text. Default: all.",
      ),
    people: z
      .array(z.string().min(1).max(200))
      .max(200)
      .default([])
      .describe("Only what one of these accounts of the forge has done. Default: everyone's."),
    comment: z
      .string()
      .min(1, { error: "must not be empty" })
      .max(100)
      .optional()
      .describe("Only comments that begin with this word, such as `/sett`."),
  })
  .describe(
    "The events of a forge that state a goal. The forge posts them to `/hooks/NAME` of `services.api`.",
  );

/** `goal`: the template of the goal's text. */
const base = { name: TriggerName, goal: z.string() };

export const CronTrigger = z.strictObject({
  ...base,
  kind: z.literal("cron"),
  cron: z.string(),
  time_zone: z.string(),
  missed: MissedRuns,
});
export type CronTrigger = z.infer<typeof CronTrigger>;

/**
 * `secret`: its name in `secrets`. `branches`, `people`: empty means all. `comment`: how a comment
 * must begin; undefined: as it likes. `guards_secrets`: agents have secrets, so that what comes
 * from a fork needs the word of one of `people`.
 */
export const WebhookTrigger = z.strictObject({
  ...base,
  kind: z.literal("webhook"),
  forge: Forge,
  secret: z.string(),
  events: z.array(z.string()),
  branches: z.array(z.string()),
  people: z.array(z.string()),
  comment: z.string().optional(),
  guards_secrets: z.literal(true).optional(),
});
export type WebhookTrigger = z.infer<typeof WebhookTrigger>;

export const TagTrigger = z.strictObject({ ...base, kind: z.literal("tag"), tag: z.string() });
export type TagTrigger = z.infer<typeof TagTrigger>;

export const Trigger = z.discriminatedUnion("kind", [CronTrigger, WebhookTrigger, TagTrigger]);
export type Trigger = z.infer<typeof Trigger>;

/**
 * Each kind's keys in sett.yml. The first one, of the kind's own name, makes an entry one of it.
 */
const keysOf = {
  cron: {
    cron: z
      .string({ error: 'must be five fields in quotes: `"0 3 * * *"` is each day at 03:00' })
      .max(200)
      .optional()
      .describe("When to state the goal: minute, hour, day of the month, month, day of the week."),
    time_zone: z
      .string()
      .refine(isTimeZone, {
        error: "is not a time zone that is known here: write one such as `Europe/Berlin`, or `UTC`",
      })
      .optional()
      .describe("The time zone of `cron`. Default: UTC."),
    missed: MissedRuns.optional().describe(
      "What becomes of runs whose time has passed while the instance was down: one goal for all of them, or none. Default: `once`.",
    ),
  },
  webhook: { webhook: Webhook.optional() },
  tag: {
    tag: Pattern.optional().describe(
      "A new tag of the repository whose name this is states a goal; `*` is any text: `v*`.",
    ),
  },
} satisfies Record<Trigger["kind"], z.ZodRawShape>;

/** The kinds, as sett.yml and the record name them. */
export const triggerKinds = Trigger.options.map(({ shape }) => shape.kind.value);

/** The kinds whose own key the entry has: exactly one, in an entry that is right. */
export function kindsIn(entry: Readonly<Record<string, unknown>>): Trigger["kind"][] {
  return triggerKinds.filter((kind) => entry[kind] !== undefined);
}

export const TriggerFile = z
  .strictObject({
    ...keysOf.cron,
    ...keysOf.webhook,
    ...keysOf.tag,
    goal: z
      .string()
      .refine((text) => text.trim() !== "", { error: "must not be empty" })
      .max(20_000, { error: "must not be longer than 20000 characters" })
      .describe("The goal's text. `{{ title }}` and others stand for what the event says."),
    budget: TriggerBudget.optional().describe(
      "What the calls of models for its goals may cost: each of them, and all of them in a day and a month.",
    ),
  })
  .superRefine((trigger, context) => {
    const report = (path: string[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    const [used, ...others] = kindsIn(trigger);
    if (used === undefined) {
      const kinds = new Intl.ListFormat("en-GB").format(triggerKinds.map((kind) => `\`${kind}\``));
      report([], `needs one of ${kinds}, which says when it states its goal`);
    }
    for (const kind of others)
      report([kind], `cannot be combined with \`${used}\`: keep one of the two`);
    for (const kind of triggerKinds.filter((one) => trigger[one] === undefined)) {
      const surplus = Object.keys(keysOf[kind]).filter(
        (key) => Reflect.get(trigger, key) !== undefined,
      );
      for (const key of surplus) report([key], `needs \`${kind}\`: without it there are no times`);
    }
  });
export type TriggerFile = z.infer<typeof TriggerFile>;

export const TriggersFile = z
  .record(TriggerName, TriggerFile)
  .refine((triggers) => Object.keys(triggers).length <= 100, {
    error: "must not name more than 100 triggers",
  })
  .default({})
  .describe(
    "What posts goals by itself, by name: a time (`cron`), an event of a forge (`webhook`), or a new tag (`tag`).",
  );
