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

/** A webhook, ready for use. `secret` signs its messages: `whsec_` and base64, or plain text. */
export const Hook = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  secret: z.string().min(1),
  on: z.array(NoticeKind),
  remind_every_ms: z.int().min(1),
});
export type Hook = z.infer<typeof Hook>;

/**
 * A webhook that could not be notified of the last thing. `to`: its address without the path, which
 * may be a secret; `hook`: the name of its deliveries. `is_given_up`: that notification is not
 * tried again.
 */
export const NoticeProblem = z.strictObject({
  hook: z.string(),
  to: z.string(),
  since: z.iso.datetime(),
  reason: z.string(),
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
