// Pause the instance, and resume it.
import { z } from "@hono/zod-openapi";
import { emptyBody, json, writeProblems } from "../../../lib/api/common.ts";
import { Paused } from "../../../lib/api/instance.ts";
import { pauseInstance, resumeInstance } from "../../../lib/client/actions/control.ts";
import type { Api } from "../env.ts";
import type { Parts } from "../parts.ts";
import { writeRoute } from "../route.ts";

const PauseState = z.strictObject({ paused: Paused.nullable() }).openapi("PauseState");
const tags = ["Instance"];

const pause = writeRoute("/v1/pause", "control", {
  tags,
  summary: "Start no new work",
  description: "Work that runs goes on.",
  request: emptyBody,
  responses: { 200: json(PauseState, "The instance is paused."), ...writeProblems },
});

const resume = writeRoute("/v1/resume", "control", {
  tags,
  summary: "Start work again",
  request: emptyBody,
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
