// The routes of the documented API: each needs a token, and those that write need a right as well.
import { createRoute, type RouteConfig } from "@hono/zod-openapi";
import { security } from "../../lib/api/common.ts";
import type { Right } from "../../lib/model/api-access.ts";
import { may } from "./env.ts";

/** These differ from route to route. */
type Rest = Omit<RouteConfig, "method" | "path" | "security" | "middleware">;

export function readRoute<Path extends string, const Own extends Rest>(path: Path, own: Own) {
  return createRoute({ ...own, method: "get", path, security });
}

/** Refuses a caller without the right. */
export function writeRoute<Path extends string, const Own extends Rest>(
  path: Path,
  right: Right,
  own: Own,
) {
  return createRoute({ ...own, method: "post", path, security, middleware: may(right) });
}
