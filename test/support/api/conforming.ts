// Holds an answer of the API to the schema that its document has for it.
import type { RouteConfig } from "@hono/zod-openapi";
import type { Api } from "../../../apps/api/env.ts";

type Schema = { safeParse(value: unknown): { success: boolean; error?: { message: string } } };

/** Throws where the document has no such answer, or another shape of it. */
export function requireConforming(
  app: Api,
  method: string,
  path: string,
  answer: { status: number; type: string; body: unknown },
): void {
  const route = routeOf(app, method, path);
  if (route === undefined) return;
  const documented = route.responses[String(answer.status)] ?? route.responses[answer.status];
  if (answer.status === 304) return;
  if (documented === undefined)
    throw new Error(
      `${method} ${route.path} answered ${answer.status}, which its document does not have.`,
    );
  const content = "content" in documented ? documented.content : undefined;
  const type = Object.keys(content ?? {}).find((name) => answer.type.startsWith(name));
  if (type === undefined)
    throw new Error(
      `${method} ${route.path} answered ${answer.type}, which its document does not have.`,
    );
  if (!type.includes("json")) return;
  const schema = (content?.[type as keyof typeof content] as { schema?: Schema } | undefined)
    ?.schema;
  const parsed = schema?.safeParse(answer.body);
  if (parsed?.success === false)
    throw new Error(
      `${method} ${route.path} (${answer.status}) is not as documented: ${parsed.error?.message}\n${JSON.stringify(answer.body)}`,
    );
}

function routeOf(app: Api, method: string, path: string): RouteConfig | undefined {
  const routes = app.openAPIRegistry.definitions.flatMap((one) =>
    one.type === "route" ? [one.route] : [],
  );
  const matches = (route: RouteConfig) =>
    route.method === method.toLowerCase() &&
    new RegExp(`^${route.path.replace(/\{[^}]+\}/g, "[^/]+")}$`).test(path);
  return routes.find(matches);
}
