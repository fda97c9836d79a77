// The `notify` of sett.yml: the webhooks that are notified when a person is needed, or a goal has
// ended.
import { z } from "zod";
import { Duration } from "./config-quantities.ts";
import { HookBody, NoticeKind, noticeFields, noticePlaceholder } from "./notify.ts";

const minuteMs = 60_000;

const secretError =
  "must be text that only you and the receiver know, best from a variable of this machine: `$SETT_HOOK_SECRET`";

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
      .string({ error: secretError })
      .max(1_000, { error: "must not be longer than 1000 characters" })
      .optional()
      .describe(
        "Signs what is sent: at least 16 characters, or `whsec_` and base64. A variable of this machine is replaced. Needed unless `body` says otherwise.",
      ),
    body: HookBody.optional().describe(
      'The form of what is posted: `sett` (the default), `slack`, `ntfy`, or JSON of your own, in whose texts names are replaced: `{ content: "{{ title }} {{ link }}" }`.',
    ),
    page: z
      .string()
      .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, {
        error: "must be the address of the page, such as `https://sett.example.org`",
      })
      .optional()
      .describe(
        "The address of the page, for links that open exactly what waits. Without it there are none.",
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
  .superRefine(({ secret, body = "sett" }, { addIssue }) => {
    if (secret === undefined && body === "sett")
      addIssue({ code: "custom", path: ["secret"], message: secretError });
    const [variable] = /\$\{\w+\}/.exec(JSON.stringify(body)) ?? [];
    if (variable !== undefined) {
      const message = `would be posted with \`${variable}\` as it is: variables are replaced in \`url\` and \`secret\` alone`;
      addIssue({ code: "custom", path: ["body"], message });
    }
    const names = [...JSON.stringify(body).matchAll(noticePlaceholder)].map(([, name]) => name);
    const unknown = names.filter((name) => !noticeFields.some((field) => field === name));
    const known = noticeFields.map((field) => `\`${field}\``).join(", ");
    for (const name of new Set(unknown)) {
      const message = `has no value for \`{{ ${name} }}\`: known are ${known}`;
      addIssue({ code: "custom", path: ["body"], message });
    }
  })
  .transform(({ remind_every, ...hook }) => ({ ...hook, remind_every_ms: remind_every }));
export type HookFile = z.infer<typeof HookFile>;
