// Pause the instance, and resume it.
import { createRoute, z } from "@hono/zod-openapi";
import { emptyBody, json, security, writeProblems } from "../../../lib/api/common.ts";
import { Paused } from "../../../lib/api/instance.ts";
import { pauseInstance, resumeInstance } from "../../../lib/client/actions/control.ts";
import { type Api, may } from "../env.ts";
import type { Parts } from "../parts.ts";

const PauseState = z.strictObject({ paused: Paused.nullable() }).openapi("PauseState");
const common = {
  method: "post" as const,
  tags: ["Instance"],
  security,
  middleware: may("control"),
  request: emptyBody,
};

const pause = createRoute({
  ...common,
  path: "/v1/pause",
  summary: "Start no new work",
  description: "Work that runs goes on.",
  responses: { 200: json(PauseState, "The instance is paused."), ...writeProblems },
});

const resume = createRoute({
  ...common,
  path: "/v1/resume",
  summary: "Start work again",
  responses: { 200: json(PauseState, "The instance goes on."), ...writeProblems },
});

export function addControlRoutes(api: Api, { board, asker }: Parts): void {
  api.openapi(pause, async (context) => {
    await pauseInstance(asker, context.var.caller.actor);
    return context.json({ paused: (await board.readPause()) ?? null }, 200);
  });
  api.openapi(resume, async (context) => {
    await resumeInstance(asker, context.var.caller.actor);
    return context.json({ paused: (await board.readPause()) ?? null }, 200);
  });
}
