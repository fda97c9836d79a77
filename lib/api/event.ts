// Events as the API shows them: those of lib/model.
import { z } from "@hono/zod-openapi";
import { EventType, eventIdPattern, SettEvent } from "../model/event.ts";
import { goalParameter, namesIn, namesParameter } from "./common.ts";

export const EventView = SettEvent.meta({
  id: "SettEvent",
  description: "An entry of the log, which is append-only.",
});

export const EventList = z
  .strictObject({
    items: z.array(EventView),
    next: z.string().nullable().openapi({
      description:
        "`after` of the next page, or `before` where that was given; null at the end of the log.",
    }),
  })
  .openapi("EventList");

const eventId = z
  .string()
  .regex(new RegExp(`^\\$$|${eventIdPattern.source}`), {
    error: "must be `0`, `$` or an event's id, such as 1795230000000-0",
  })
  .optional();

const types = namesParameter(
  "Only events of these types.",
  "grant_done,grant_failed",
  EventType.options,
)
  .transform(namesIn)
  .pipe(z.array(EventType));

export const EventQuery = z.strictObject({
  after: eventId.openapi({
    description: "Events after this one: `0` is the beginning, `$` the end.",
    example: "0",
  }),
  before: eventId.openapi({ description: "The newest events before this one: `$` is the end." }),
  goal: goalParameter,
  type: types,
  agent: z.string().min(1).max(40).optional().openapi({ description: "Only about this agent." }),
  actor: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .openapi({ description: "Only by actors that begin like this.", example: "person:" }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(100)
    .openapi({ description: "How many events, from 1 to 500.", example: 100 }),
});
