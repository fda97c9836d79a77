// Webhooks: what they are notified of, and the record of a delivery.
import { z } from "zod";

/**
 * A webhook may be notified of these: what waits for a person, how a goal has ended, and that a
 * budget of a day or a month is nearly, or wholly, used up.
 */
export const NoticeKind = z.enum([
  "question",
  "approval",
  "achieved",
  "settled",
  "failed",
  "stalled",
  "cancelled",
  "budget",
]);
export type NoticeKind = z.infer<typeof NoticeKind>;

/** The values that the body of sett.yml may name, as `{{ title }}`. */
export const noticeFields = [
  "title",
  "text",
  "link",
  "type",
  "instance",
  "goal",
  "goal_summary",
  "artefact",
  "by",
  "approver",
  "command",
] as const;
export type NoticeField = (typeof noticeFields)[number];
export const noticePlaceholder = /\{\{\s*([a-z_]+)\s*\}\}/g;

export type NoticeTemplate =
  | string
  | number
  | boolean
  | null
  | NoticeTemplate[]
  | { [name: string]: NoticeTemplate };
const NoticeTemplate: z.ZodType<NoticeTemplate> = z.json();

/** A body that is ready, or the JSON of one, in whose texts `{{ … }}` is replaced. */
export const HookBody = z.union(
  [z.enum(["sett", "slack", "ntfy"]), z.record(z.string(), NoticeTemplate)],
  { error: "must be `sett`, `slack`, `ntfy`, or the JSON to post as a map" },
);
export type HookBody = z.infer<typeof HookBody>;

/**
 * A webhook, ready for use. `secret` signs its messages: `whsec_` and base64, or plain text; where
 * it is missing they are not signed. `page`: the address of the page, to which links lead.
 */
export const Hook = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  secret: z.string().min(1).optional(),
  body: HookBody.optional(),
  page: z.string().optional(),
  on: z.array(NoticeKind),
  remind_every_ms: z.int().min(1),
});
export type Hook = z.infer<typeof Hook>;

/**
 * A webhook that could not be notified of the last thing. `to`: its address without the path, which
 * may be a secret; `place`: in sett.yml, from 1, where others have the same `to`; `hook`: the name
 * of its deliveries. `is_given_up`: that notification is not
 * tried again. `status`: what it answers; without it nothing has answered.
 */
export const NoticeProblem = z.strictObject({
  hook: z.string(),
  to: z.string(),
  place: z.int().min(1).optional(),
  since: z.iso.datetime(),
  reason: z.string(),
  status: z.int().optional(),
  is_given_up: z.boolean(),
});
export type NoticeProblem = z.infer<typeof NoticeProblem>;

/**
 * The last delivery to a webhook for one subject. `at`: Redis TIME, Unix milliseconds; `reminder`
 * is 0 the first time.
 */
export const Delivery = z.strictObject({
  notice: z.string(),
  at: z.number(),
  reminder: z.int().min(0),
});
export type Delivery = z.infer<typeof Delivery>;
