// /mcp: the Model Context Protocol over HTTP, with the tokens of the API.
import { type Access, authenticate } from "../access/authenticate.ts";
import { Rates, tooMany } from "../access/rates.ts";
import { type Api, requireRight } from "../env.ts";
import { McpSessions } from "../mcp-sessions.ts";
import type { Parts } from "../parts.ts";
import { problemResponse } from "../problem.ts";

/** What an assistant does is on record by its own events, with its name; there is no `api_called` for each message. */
export function addMcpRoute(api: Api, parts: Parts, access: Access): void {
  const sessions = new McpSessions(parts);
  const { limits, clock } = parts.deps;
  const requests = new Rates(limits.requestsPerMinute, clock);
  api.all("/mcp", async (context) => {
    const { raw } = context.req;
    const caller = await authenticate(raw, access);
    requireRight(caller, "read");
    const wait = requests.take(caller.name);
    if (wait !== undefined) return problemResponse(tooMany(wait), { "retry-after": String(wait) });
    return await sessions.handle(raw, caller);
  });
}
