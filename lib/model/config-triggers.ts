// The `triggers` of sett.yml: what states goals by itself. lib/config/trigger-findings.ts checks
// what the words inside mean.
import { z } from "zod";
import { SecretName } from "./config-secrets.ts";
import { Forge, MissedRuns, type Trigger, TriggerName } from "./trigger.ts";

const Pattern = z.string().min(1, { error: "must not be empty" }).max(200);

const Webhook = z
  .strictObject({
    forge: Forge.describe("Whose webhook it is: how it is signed, and what its events are called."),
    secret: SecretName.describe(
      "The name in `secrets` of what the forge signs with: GitHub's secret; GitLab's secret token, or its signing token (`whsec_…`).",
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

const kinds = ["cron", "webhook", "tag"] as const;

const isTimeZone = (name: string) => {
  try {
    return (
      /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== ""
    );
  } catch {
    return false;
  }
};

export const TriggerFile = z
  .strictObject({
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
    webhook: Webhook.optional(),
    tag: Pattern.optional().describe(
      "A new tag of the repository whose name this is states a goal; `*` is any text: `v*`.",
    ),
    goal: z
      .string()
      .refine((text) => text.trim() !== "", { error: "must not be empty" })
      .max(20_000, { error: "must not be longer than 20000 characters" })
      .describe("The goal's text. `{{ title }}` and others stand for what the event says."),
  })
  .superRefine((trigger, context) => {
    const used = kinds.filter((kind) => trigger[kind] !== undefined);
    const sentence = "needs one of `cron`, `webhook` and `tag`, which says when it states its goal";
    if (used.length === 0) context.addIssue({ code: "custom", path: [], message: sentence });
    for (const kind of used.slice(1)) {
      context.addIssue({
        code: "custom",
        path: [kind],
        message: `cannot be combined with \`${used[0]}\`: keep one of the two`,
      });
    }
    for (const key of ["time_zone", "missed"] as const) {
      if (trigger.cron === undefined && trigger[key] !== undefined)
        context.addIssue({
          code: "custom",
          path: [key],
          message: "needs `cron`: without it there are no times",
        });
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

/** In the order of the file. */
export type Triggers = Trigger[];
