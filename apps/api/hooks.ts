// What others add to the API: the page, and a door for assistants. What runs beside it (triggers, telemetry) takes its `parts`.
import type { Caller } from "./access/caller.ts";
import type { Parts } from "./parts.ts";

export type Hooks = {
  /** The file of the page at this address, if there is one. It sets a Content-Security-Policy of its own. */
  page?: (request: Request) => Promise<Response | undefined> | Response | undefined;
  /** `/mcp`, for a caller with any right: each tool asks for its own. A POST is on record as a call of the API. */
  mcp?: (request: Request, caller: Caller, parts: Parts) => Promise<Response> | Response;
};
