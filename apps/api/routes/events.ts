// GET /v1/events: the log in pages, or as a stream.
import { findProblems } from "../../../lib/api/common.ts";
import { EventList, EventQuery } from "../../../lib/api/event.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Api, RequestContext } from "../env.ts";
import { compareIds, isEventId } from "../events/event-id.ts";
import type { EventFilter } from "../events/filter.ts";
import { eventPage } from "../events/page.ts";
import { eventStream } from "../events/stream.ts";
import type { Parts } from "../parts.ts";
import { readRoute } from "../route.ts";
import { openStream } from "./open-stream.ts";

const listEvents = readRoute("/v1/events", {
  tags: ["Events"],
  summary: "Read the log, or follow it",
  description: [
    "Answers a page of events, the oldest first. With `Accept: text/event-stream` it is a stream of server-sent events instead: `event: sett`,",
    "`id:` the id of the event, `data:` the event. `Last-Event-ID` or `after` says where it goes on; without them it has only new events.",
    "`event: ping` comes every 15 seconds. Where that place is later than the newest event, a comment says so, and the stream begins at the end.",
  ].join(" "),
  request: { query: EventQuery },
  responses: {
    200: {
      description: "A page, or the stream.",
      content: {
        "application/json": { schema: EventList },
        "text/event-stream": { schema: { type: "string" } },
      },
    },
    ...findProblems,
  },
});

export function addEventRoutes(api: Api, parts: Parts): void {
  const { board, deps, hub } = parts;
  api.openapi(listEvents, async (context) => {
    const { after, before, goal, type: types, agent, actor, limit } = context.req.valid("query");
    const whole = goal === undefined ? undefined : await resolveGoalId(board, goal, deps.suggest);
    const filter: EventFilter = { goal: whole, types, agent, actor };
    if (!wantsStream(context)) {
      if (after !== undefined && before !== undefined)
        throw new SettError("usage", "`after` and `before` cannot be used together.", {
          hint: "Leave one of them out.",
        });
      return context.json(await eventPage(board, { after, before, limit, filter }), 200);
    }
    if (before !== undefined)
      throw new SettError(
        "usage",
        "`before` cannot be used with a stream, which goes forwards alone.",
        {
          hint: "Leave it out, or send no `Accept: text/event-stream`.",
        },
      );
    const wanted = lastEventId(context) ?? after ?? "$";
    return openStream(parts, context, "text/event-stream", async (life) => {
      const end = await board.endOfEvents();
      const isAhead = wanted !== "$" && compareIds(wanted, end) > 0;
      const from = wanted === "$" || isAhead ? end : wanted;
      const comment = isAhead ? aheadOfLog(wanted, end) : undefined;
      return eventStream({ ...life, hub, from, filter, comment, limits: deps.limits.stream });
    });
  });
}

/**
 * Redis may have lost its last writes in a crash: a client that is refused, such as a browser,
 * would not come again.
 */
function aheadOfLog(wanted: string, end: string): string {
  return `The log has no event ${wanted} yet: its newest is ${end}, after which this stream begins.`;
}

function wantsStream({ req }: RequestContext): boolean {
  return (req.header("accept") ?? "").includes("text/event-stream");
}

/** Throws `usage`. */
function lastEventId({ req }: RequestContext): string | undefined {
  const id = req.header("last-event-id");
  if (id === undefined || id === "") return undefined;
  if (isEventId(id)) return id;
  throw new SettError("usage", "`Last-Event-ID` is not the id of an event.", {
    hint: "Leave it out, or give `after`.",
  });
}
