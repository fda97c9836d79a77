// A request carries these beside its own content.
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import type { Right } from "../../lib/model/api-access.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { GoalId } from "../../lib/model/ids.ts";
import type { Caller } from "./access/caller.ts";

/**
 * `goal`: what a write is about, for the record. `moment`: tells a write with a key from what comes
 * with the key after its time.
 */
export type Env = { Variables: { caller: Caller; goal?: GoalId; moment?: string } };
export type Api = OpenAPIHono<Env>;
export type RequestContext = Context<Env>;

/** Runs before a route that writes. */
export function may(right: Right): MiddlewareHandler<Env> {
  return async ({ var: { caller } }, next) => {
    requireRight(caller, right);
    await next();
  };
}

/** Throws `not-allowed`. */
export function requireRight({ name, rights }: Caller, right: Right): void {
  if (rights.has(right)) return;
  const has = rights.size === 0 ? "has no rights" : `may ${[...rights].join(", ")}`;
  throw new SettError(
    "not-allowed",
    `This needs the right \`${right}\`, and the token ${name} ${has}.`,
    {
      hint: "`services.api.tokens` in sett.yml says what each token may do.",
    },
  );
}
