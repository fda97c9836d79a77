// One agent's session with one MCP server, by the official SDK. All that a server can do is
// bounded: how much it says, how long it takes, where it leads.

import { isObject } from "../../../lib/model/json.ts";
import { readBounded } from "../read-bounded.ts";
import { type Definition, definitionOf } from "./definitions.ts";

export type SessionOrder = {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** One response may have so many bytes. */
  maxBytes: number;
  timeoutMs: number;
  version: string;
};

export type ToolSession = {
  /** The tools of these names that the server has now. */
  list(names: ReadonlySet<string>, signal: AbortSignal): Promise<Map<string, Definition>>;
  /** Returns what the server answers, as it came. Throws what the SDK throws. */
  call(name: string, args: unknown, signal: AbortSignal): Promise<Record<string, unknown>>;
  close(): Promise<void>;
};

const maxPages = 20;
/** A connection ends by itself a little after the call that it was for. */
const lingerMs = 5_000;

export async function openSession(order: SessionOrder, signal: AbortSignal): Promise<ToolSession> {
  const [{ Client }, { StreamableHTTPClientTransport }, { ResultSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const client = new Client({ name: "sett", version: order.version });
  const transport = new StreamableHTTPClientTransport(new URL(order.url), {
    fetch: boundedFetch(order),
    requestInit: { headers: { ...order.headers } },
    reconnectionOptions: {
      ...{ maxRetries: 0, initialReconnectionDelay: 1_000 },
      ...{ maxReconnectionDelay: 1_000, reconnectionDelayGrowFactor: 1 },
    },
  });
  const { timeoutMs } = order;
  // The SDK says of a stream that breaks only here, and goes on waiting for an answer in it.
  const broken = new AbortController();
  client.onerror = (error: Error) => broken.abort(error.message);
  const limits = (own: AbortSignal) => ({
    ...{ signal: AbortSignal.any([own, broken.signal]), timeout: timeoutMs },
  });
  await client.connect(transport, limits(signal));
  // The shape of an answer is looked at here, and not by the SDK, which would run its schemas.
  const ask = (method: string, params: Record<string, unknown>, own: AbortSignal) =>
    client.request({ method, params }, ResultSchema, limits(own));
  return {
    list: (names, own) => listTools(names, (params) => ask("tools/list", params, own)),
    call: (name, args, own) => ask("tools/call", { name, arguments: args }, own),
    close: async () => {
      await transport.terminateSession().catch(() => {});
      await client.close();
    },
  };
}

/** Of JSON-RPC, by which the SDK also names what it says itself. */
const [closed, timedOut] = [-32_000, -32_001];

/** Returns whether the server has answered, with an error, so that its session goes on. */
export function isAnswer(error: unknown): boolean {
  const { name, code, message } = Object(error);
  if (name !== "McpError" || code === timedOut) return false;
  return code !== closed || !String(message).endsWith("Connection closed");
}

async function listTools(
  names: ReadonlySet<string>,
  ask: (params: Record<string, unknown>) => Promise<Record<string, unknown>>,
): Promise<Map<string, Definition>> {
  const found = new Map<string, Definition>();
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const { tools, nextCursor } = await ask(typeof cursor === "string" ? { cursor } : {});
    for (const raw of Array.isArray(tools) ? tools : []) {
      if (!isObject(raw) || typeof raw.name !== "string") continue;
      // The first of a name counts, so that no later one takes its place.
      if (!names.has(raw.name) || found.has(raw.name)) continue;
      const definition = definitionOf(raw);
      if (definition !== undefined) found.set(raw.name, definition);
    }
    cursor = nextCursor;
    if (typeof cursor !== "string" || cursor === "" || found.size === names.size) break;
  }
  return found;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * No stream that the server may fill as it likes, no redirect, which would take the headers
 * elsewhere, and no response without an end.
 */
function boundedFetch({ maxBytes, timeoutMs }: SessionOrder): Fetch {
  return async (url, init = {}) => {
    if (init.method === "GET") return new Response(null, { status: 405 });
    const time = AbortSignal.timeout(timeoutMs + lingerMs);
    const signal = init.signal ? AbortSignal.any([init.signal, time]) : time;
    const options: RequestInit = { ...init, redirect: "manual", signal };
    const response = await fetch(url, options);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new Error(`The server leads to another address (${response.status}).`);
    }
    if (response.body === null) return response;
    const { status, headers } = response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (isStream) {
      const body = response.body.pipeThrough(bounded(maxBytes));
      return new Response(body, { status, headers: typeOf(headers) });
    }
    const whole = await readBounded(response.body, maxBytes);
    if (whole === undefined) {
      await response.body.cancel().catch(() => {});
      throw tooLarge(maxBytes);
    }
    const isEmpty = [202, 204].includes(status) || whole.length === 0;
    return new Response(isEmpty ? null : whole, { status, headers: typeOf(headers) });
  };
}

/** The body is decoded by now. */
function typeOf(headers: Headers): Headers {
  const kept = ["content-type", "mcp-session-id"];
  return new Headers(
    kept.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value] as [string, string]];
    }),
  );
}

function bounded(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(part, controller) {
      bytes += part.length;
      if (bytes > maxBytes) controller.error(tooLarge(maxBytes));
      else controller.enqueue(part);
    },
  });
}

function tooLarge(maxBytes: number): Error {
  return new Error(`The server's answer is larger than ${Math.floor(maxBytes / 1024)} KiB.`);
}
