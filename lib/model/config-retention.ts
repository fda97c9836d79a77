// The `retention` of sett.yml: how long what has ended is kept.
import { z } from "zod";

const daysPattern = /^(\d{1,4})d$/;
const dayMs = 86_400_000;
const maxDays = 3_650;

/** `30d` → milliseconds, from one day to ten years. */
const Days = z
  .string({ error: "must be a number of days, such as `30d`" })
  .meta({ pattern: daysPattern.source })
  .transform((text, context) => {
    const days = Number(daysPattern.exec(text)?.[1] ?? Number.NaN);
    if (days >= 1 && days <= maxDays) return days * dayMs;
    const sentence = Number.isNaN(days)
      ? "must be a number of days, such as `30d`"
      : days < 1
        ? "must be at least `1d`"
        : `must be at most \`${maxDays}d\``;
    context.addIssue({ code: "custom", message: sentence });
    return z.NEVER;
  });

export const Retention = z
  .strictObject({
    goals: Days.optional().describe(
      "`sett prune` without --before moves goals into a file that have ended and not changed for so long.",
    ),
    transcripts: Days.optional().describe(
      "The gateway removes the bodies of calls of models after so long.",
    ),
    other_events: Days.optional().describe(
      "The orchestrator removes events of the log that belong to no goal after so long.",
    ),
  })
  .transform(({ goals, transcripts, other_events }) => ({
    goals_ms: goals,
    transcripts_ms: transcripts,
    other_events_ms: other_events,
  }));
