// The `notify` of sett.yml: the webhooks that are notified when a person is needed, or a goal has
// ended.
import { z } from "zod";
import { Duration } from "./config-quantities.ts";
import { NoticeKind } from "./notify.ts";

const minuteMs = 60_000;

/**
 * An entry as the file has it: `${…}` in `url` and `secret` is not replaced yet. Messages never
 * show a value that may be secret.
 */
export const HookFile = z
  .strictObject({
    url: z
      .string({ error: "must be the address to post to: `https://example.org/hook`" })
      .max(2_000)
      .describe("The address to post to. A variable of this machine is replaced."),
    secret: z
      .string({
        error:
          "must be text that only you and the receiver know, best from a variable of this machine: `$SETT_HOOK_SECRET`",
      })
      .max(1_000, { error: "must not be longer than 1000 characters" })
      .describe(
        "Signs what is sent: at least 16 characters, or `whsec_` and base64. A variable of this machine is replaced.",
      ),
    on: z
      .array(NoticeKind)
      .min(1, { error: "must not be empty: leave it out to be notified of everything" })
      .default([...NoticeKind.options])
      .describe("What to notify of. Default: everything."),
    remind_every: Duration.refine((ms) => ms >= minuteMs, { error: "must be at least `1m`" })
      .prefault("24h")
      .describe("How often to send a reminder of what still waits for a person."),
  })
  .transform(({ remind_every, ...hook }) => ({ ...hook, remind_every_ms: remind_every }));
export type HookFile = z.infer<typeof HookFile>;
