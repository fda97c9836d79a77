// The reader of logs as a Hono app: it has the Engine's socket, and gives lines of logs of one
// instance.
import { Hono } from "hono";
import { stream } from "hono/streaming";
import { messageOf, SettError } from "../model/errors.ts";
import type { LogSource } from "./log-source.ts";

/**
 * `GET /parts`, and `GET /parts/NAME/log?tail=N&follow=true`, which begins with an empty line: an
 * answer begins with its first byte, and a part may be silent. A failure is JSON: `code`,
 * `message`, `hint`.
 */
export function createReaderApp(logs: LogSource): Hono {
  const app = new Hono();
  app.get("/parts", async ({ json }) => json({ names: await logs.names() }));
  app.get("/parts/:name/log", async (context) => {
    const { req } = context;
    const tail = req.query("tail");
    if (tail !== undefined && !/^\d{1,6}$/.test(tail))
      return context.json({ code: "usage", message: "tail is a number." }, 400);
    const over = new AbortController();
    const signal = AbortSignal.any([req.raw.signal, over.signal]);
    const lines = await logs.read(req.param("name"), {
      tail: tail === undefined ? undefined : Number(tail),
      follow: req.query("follow") === "true",
      signal,
    });
    if (lines === undefined)
      return context.json({ code: "agent-not-found", message: "There is no such part." }, 404);
    context.header("content-type", "text/plain; charset=utf-8");
    return stream(context, async (out) => {
      out.onAbort(() => over.abort());
      await out.write("\n");
      for await (const line of lines) await out.write(`${line}\n`);
    });
  });
  app.onError((error, { json }) => {
    if (error instanceof SettError)
      return json({ code: error.code, message: error.message, hint: error.hint }, 409);
    return json({ code: "internal", message: messageOf(error) }, 500);
  });
  return app;
}
