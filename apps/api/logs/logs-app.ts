// A reader of logs as a Hono app, for a socket that the API reaches: it has nothing else of the machine.
import { Hono } from "hono";
import { SettError } from "../../../lib/model/errors.ts";
import type { Logs } from "../deps.ts";
import { lineStream } from "../events/line-stream.ts";

export function createLogsApp(logs: Logs): Hono {
  const app = new Hono();
  app.get("/:name", async ({ req }) => {
    const { tail = "", follow } = req.query();
    const over = new AbortController();
    const signal = AbortSignal.any([req.raw.signal, over.signal]);
    const lines = logs.read(req.param("name"), { tail: Number.parseInt(tail, 10) || 0, follow: follow === "true", signal });
    return new Response(await lineStream(lines, () => over.abort()), {
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
  });
  app.onError((error, context) =>
    context.text(error.message, error instanceof SettError && error.code === "agent-not-found" ? 404 : 503),
  );
  return app;
}
