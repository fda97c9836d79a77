// The starter of workers, as a Hono app: it alone has the Engine's socket, and uses it for nothing
// else.
import { setTimeout as sleep } from "node:timers/promises";
import { Hono } from "hono";
import { z } from "zod";
import { SettError } from "../../../lib/model/errors.ts";
import { AgentName, ClaimId, CommitHash, GoalId } from "../../../lib/model/ids.ts";
import { PrepareBase } from "../../../lib/model/prepare.ts";
import type { WorkerHost } from "./worker-host.ts";

const Job = z.strictObject({
  agent: AgentName,
  claim: ClaimId,
  attempt: z.int().min(1).max(1_000_000),
  goal: GoalId,
  slot: z.int().min(1).max(100),
  commit: CommitHash.optional(),
  base: PrepareBase.optional(),
});

/** How long one request waits for the end of a worker. */
export const waitMs = 20_000;

/** `canBe`: whether a worker can have that name. `layReady`: what `start` would wait for. */
type Host = WorkerHost & {
  canBe(worker: string): boolean;
  layReady(agent: AgentName, commit: CommitHash): Promise<void>;
};

/**
 * `GET /agents/AGENT/workers`, `POST /agents/AGENT/commits/COMMIT`, `POST /preparations`, which
 * answers nothing until it is known how one went, `DELETE /preparations/CONTAINER/log`, `POST
 * /workers`, which says whether it is there by then, and for each worker `GET /workers/NAME`, its
 * `/end` and `/log`, and `DELETE`. A failure is JSON: `code`, `message`, `hint`.
 */
export function createStarterApp(host: Host): Hono {
  const app = new Hono();
  app.use("/workers/:name/*", async ({ req, json }, next) => {
    if (host.canBe(req.param("name"))) return await next();
    return json(
      { code: "not-found", message: "No worker of these templates has such a name." },
      404,
    );
  });
  app.get("/agents/:agent/workers", async ({ req, json }) =>
    json(await host.list(AgentName.parse(req.param("agent")))),
  );
  app.post("/agents/:agent/commits/:commit", async ({ req, json }) => {
    const [agent, commit] = [AgentName.parse(req.param("agent")), req.param("commit")];
    const prepared = host.layReady(agent, CommitHash.parse(commit)).then(() => true);
    return json({ is_ready: await Promise.race([prepared, afterWait()]) });
  });
  app.post("/preparations", async ({ req, json }) => {
    const job = Job.parse(await req.json());
    return json((await Promise.race([host.prepare(job), afterWait()])) || {});
  });
  app.delete("/preparations/:container/log", async ({ req, json }) => {
    await host.forgetLog(req.param("container"));
    return json({});
  });
  app.post("/workers", async ({ req, json }) => {
    const over = AbortSignal.timeout(waitMs);
    try {
      await host.start(Job.parse(await req.json()), over);
      return json({ is_started: true }, 201);
    } catch (error) {
      if (!over.aborted || error !== over.reason) throw error;
      return json({ is_started: false });
    }
  });
  app.get("/workers/:name", async ({ req, json }) => {
    const state = await host.stateOf(req.param("name"));
    if (state === undefined) return json({});
    const { id, hasBegun, cause } = state;
    const why = cause && { sentence: cause.sentence, is_disruption: cause.isDisruption };
    return json({ id, has_begun: hasBegun, cause: why });
  });
  app.get("/workers/:name/end", async ({ req, json }) => {
    const over = AbortSignal.any([req.raw.signal, AbortSignal.timeout(waitMs)]);
    try {
      return json({ exit_code: await host.wait(req.param("name"), over) });
    } catch (error) {
      // Not ended yet.
      if (over.aborted) return json({});
      throw error;
    }
  });
  app.get("/workers/:name/log", async ({ req, json }) =>
    json(await host.readLogs(req.param("name"))),
  );
  app.delete("/workers/:name", async ({ req, json }) => {
    await host.remove(req.param("name"));
    return json({});
  });
  app.onError((error, { json }) => {
    if (error instanceof SettError)
      return json({ code: error.code, message: error.message, hint: error.hint }, 409);
    return json(
      {
        code: "usage",
        message: error instanceof z.ZodError ? "The request is malformed." : error.message,
      },
      400,
    );
  });
  return app;
}

async function afterWait(): Promise<false> {
  await sleep(waitMs, undefined, { ref: false });
  return false;
}
