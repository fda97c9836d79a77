// /hooks/NAME: where a forge posts its events. No token: its signature is its access.

import { json, jsonBody } from "../../../lib/api/common.ts";
import {
  Delivered,
  deliveryProblems,
  Fired,
  ForgeEvent,
  HookAddress,
} from "../../../lib/api/delivery.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { kindOf } from "../../../lib/triggers/kinds.ts";
import { Rates, tooMany } from "../access/rates.ts";
import { Bodies } from "../bodies.ts";
import type { Api } from "../env.ts";
import type { Parts } from "../parts.ts";
import { kindOf as kindOfProblem, problemResponse } from "../problem.ts";
import { allForges, deliverySecurity, ForgeHeaders } from "../triggers/delivery-document.ts";
import { triggerPort } from "../triggers/trigger-port.ts";

/** A push of many commits is large. */
const maxBodyBytes = 5 * 1024 * 1024;
/** The limit counts for one trigger, in a minute. */
const deliveriesPerMinute = 120;
/** How many refusals of one trigger the log has, in a minute: anyone may send what is refused. */
const refusalsPerMinute = 6;

/**
 * The document alone has it: who sends is checked before what is sent, by the bytes of the body.
 */
const deliveryRoute = {
  method: "post" as const,
  path: "/hooks/{name}",
  tags: ["Triggers"],
  summary: "Deliver an event of a forge to a webhook of `triggers`",
  description: `What ${allForges} send. The signature or the token of the forge is the access; other tokens are none.`,
  security: deliverySecurity,
  request: {
    params: HookAddress,
    headers: ForgeHeaders,
    body: jsonBody(ForgeEvent),
  },
  responses: {
    200: json(Delivered, "No goal is posted."),
    202: json(Fired, "The goal is posted."),
    ...deliveryProblems,
  },
};

export function addHookRoutes(api: Api, parts: Parts): void {
  api.openAPIRegistry.registerPath(deliveryRoute);
  const { deps } = parts;
  const port = triggerPort(parts);
  const hooks = new Map(
    (deps.triggers ?? []).flatMap((trigger) =>
      kindOf(trigger).receive === undefined ? [] : [[trigger.name as string, trigger]],
    ),
  );
  const deliveries = new Rates(deliveriesPerMinute, deps.clock);
  const refusals = new Rates(refusalsPerMinute, deps.clock);
  const bodies = new Bodies(deps.limits.hookBodies);

  api.post("/hooks/:name", async (context) => {
    const { req } = context;
    const trigger = hooks.get(req.param("name"));
    const receive = trigger && kindOf(trigger).receive;
    if (trigger === undefined || receive === undefined)
      throw new SettError("not-found", "sett.yml has no webhook of this name in `triggers`.");
    using held = new DisposableStack();
    const delivery = {
      header: (name: string) => req.header(name),
      readBody: async (onPart: (part: Uint8Array) => void) =>
        held.use(await bodies.read(req.raw, maxBodyBytes, onPart)).bytes,
      waitOf: () => deliveries.take(trigger.name),
    };
    try {
      const answer = await receive(port, trigger, delivery);
      if (answer.outcome === "too-many")
        return problemResponse(tooMany(answer.seconds), { "retry-after": String(answer.seconds) });
      if (answer.outcome !== "fired") return context.json(answer, 200);
      return context.json(
        { outcome: answer.isNew ? "fired" : "repeat", id: answer.goal },
        answer.isNew ? 202 : 200,
      );
    } catch (error) {
      if (kindOfProblem(error).status < 500 && refusals.take(trigger.name) === undefined)
        deps.log.warn("Refused a delivery of a webhook", {
          trigger: trigger.name,
          reason: String(error),
        });
      throw error;
    }
  });
}
