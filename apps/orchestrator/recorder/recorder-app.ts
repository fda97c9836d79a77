// The answers of the recorder: agents add what their commands have printed, and nothing else; the
// API alone reads it.
import type { Hono } from "hono";
import { messageOf } from "../../../lib/model/errors.ts";
import { GoalId } from "../../../lib/model/ids.ts";
import { Digest } from "../../../lib/model/kept-output.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { Body, OutputStore } from "./output-store.ts";

type Parts = { store: OutputStore; log: JsonLog };

const path = "/outputs/:goal/:digest";

/** `PUT /outputs/GOAL/DIGEST` with the body as gzip. `agent`: who has this way, for its bound. */
export function addOutputs(app: Hono, agent: string, { store, log }: Parts): Hono {
  return app.put(path, async ({ req, json, body }) => {
    const named = bodyOf(req.param());
    if (named === undefined) return json({ message: "It has no such name." }, 400);
    try {
      const kept = await store.add(agent, named, new Uint8Array(await req.arrayBuffer()));
      return kept === "kept" ? body(null, 204) : json({ message: kept.refused }, kept.status);
    } catch (error) {
      log.error("Could not keep an output", { agent, ...named, error: messageOf(error) });
      return json({ message: messageOf(error) }, 507);
    }
  });
}

/** `GET /outputs/GOAL/DIGEST`: the bytes as they were. */
export function readOutputs(app: Hono, { store }: Pick<Parts, "store">): Hono {
  return app.get(path, async ({ req, json }) => {
    const named = bodyOf(req.param());
    const found = named && (await store.read(named));
    if (found === undefined) return json({ message: "It is not kept." }, 404);
    return new Response(new Uint8Array(found), {
      headers: { "content-type": "application/octet-stream" },
    });
  });
}

function bodyOf({ goal, digest }: { goal: string; digest: string }): Body | undefined {
  const [ofGoal, named] = [GoalId.safeParse(goal), Digest.safeParse(digest)];
  return ofGoal.success && named.success ? { goal: ofGoal.data, digest: named.data } : undefined;
}
