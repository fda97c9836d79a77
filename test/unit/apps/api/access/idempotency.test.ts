import { expect, test } from "bun:test";
import { Hono } from "hono";
import { causeOf, goalIdOf, idempotency } from "../../../../../apps/api/access/idempotency.ts";
import type { Env } from "../../../../../apps/api/env.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";

const dayMs = 86_400_000;

/** `start`: another program on the same record. `fails`: whether writes are refused now. */
async function scene() {
  const time = { ms: 0 };
  const clock = { now: () => new Date(time.ms), passedMs: () => time.ms };
  const board = await blackboardInMemory({
    instance: InstanceName.parse("keys"),
    now: () => time.ms,
  }).open();
  const log = createJsonLog(() => {}, clock.now);
  const state = { fails: false };
  const start = () => {
    const app = new Hono<Env>();
    app.use(async (context, next) => {
      context.set("caller", { id: "ada", name: "ada", rights: new Set(), actor: "person:ada" });
      await next();
    });
    app.use(
      idempotency({
        deps: { board, log, clock } as unknown as Parameters<typeof idempotency>[0]["deps"],
      }),
    );
    app.post("*", (context) =>
      context.json({ goal: goalIdOf(context), cause: causeOf(context) }, state.fails ? 409 : 201),
    );
    return async (body: string, path = "/v1/goals") => {
      const answer = await app.request(path, {
        method: "POST",
        body,
        headers: { "idempotency-key": "nightly" },
      });
      return {
        status: answer.status,
        isReplayed: answer.headers.has("idempotency-replayed"),
        text: await answer.text(),
      };
    };
  };
  return { time, state, start };
}

test("what comes with a key after its day is no repeat, though it says the same", async () => {
  const { time, start } = await scene();
  const post = start();
  const first = await post("Release");
  time.ms = dayMs - 1;
  expect(await post("Release")).toEqual({ ...first, isReplayed: true });
  time.ms = dayMs;
  const next = await post("Release");
  expect([next.status, next.isReplayed, next.text === first.text]).toEqual([201, false, false]);
  expect((await post("Release")).isReplayed).toBe(true);
  time.ms = 3 * dayMs;
  expect((await start()("Another")).status).toBe(201);
});

test("a repeat after an answer that was not kept has the same goal, also in another program", async () => {
  const { state, start } = await scene();
  state.fails = true;
  const first = await start()("Release");
  state.fails = false;
  const again = await start()("Release");
  expect([again.status, again.isReplayed, again.text]).toEqual([201, false, first.text]);
  const query = await start()("Release", "/v1/goals?more=1");
  expect([query.status, query.isReplayed]).toEqual([500, false]);
});
