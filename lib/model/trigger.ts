// Triggers, which state goals by themselves: at a time, for an event of a forge, for a new tag
// (docs/guides/triggers.md).
import { z } from "zod";

/**
 * On record as the actor of its goals, and part of a Redis key and of a webhook's address: hence a
 * DNS label.
 */
export const TriggerName = z
  .string()
  .max(40, { error: "must have at most 40 characters" })
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, {
    error: "must be lower-case letters, digits and inner hyphens",
  })
  .brand<"TriggerName">();
export type TriggerName = z.infer<typeof TriggerName>;

export const Forge = z.enum(["github", "gitlab"]);
export type Forge = z.infer<typeof Forge>;

/**
 * Runs whose time has passed while no program looked are left out, or one goal is stated for all of
 * them.
 */
export const MissedRuns = z.enum(["once", "skip"]);
export type MissedRuns = z.infer<typeof MissedRuns>;

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
