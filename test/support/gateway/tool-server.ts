// An MCP server of the test, by the official SDK, and one that answers whatever the test says.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { z } from "zod";
import type { ToolServerSettings } from "../../../lib/model/config-tools.ts";

export type SeenRequest = { headers: Headers; body: unknown };

/** It has the tools `get_issue` and `delete_issue`, and quotes its headers when it is asked to. */
export function issueServer() {
  const requests: SeenRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      requests.push({ headers: request.headers, body: await request.clone().json() });
      const mcp = new McpServer({ name: "issues", version: "1" });
      mcp.registerTool(
        "get_issue",
        { description: "Reads an issue.", inputSchema: { id: z.string() } },
        ({ id }) => ({ content: [{ type: "text", text: `issue ${id} is open` }] }),
      );
      mcp.registerTool("delete_issue", { inputSchema: {} }, () => ({ content: [] }));
      mcp.registerTool("whoami", { inputSchema: {} }, () => ({
        content: [{ type: "text", text: `you sent ${request.headers.get("authorization")}` }],
      }));
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await mcp.connect(transport);
      return await transport.handleRequest(request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export type Answer = (message: { id?: unknown; method: string; params?: unknown }) => unknown;

/** `answer`: the result of a request, an `Error` for one of JSON-RPC, or a whole response. */
export function hostileServer(answer: Answer) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const message = await request.json();
      if (message.id === undefined) return new Response(null, { status: 202 });
      const found = message.method === "initialize" ? greeting : await answer(message);
      if (found instanceof Response) return found;
      const body =
        found instanceof Error
          ? { error: { code: -32_000, message: found.message } }
          : { result: found };
      return Response.json({ jsonrpc: "2.0", id: message.id, ...body });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

const greeting = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "hostile", version: "1" },
};

export const toolNamed = (name: string, over: Record<string, unknown> = {}) => ({
  name,
  description: "Does something.",
  inputSchema: { type: "object" },
  ...over,
});

export function toolServer(
  url: string,
  allow: string[],
  over: Partial<ToolServerSettings> = {},
): ToolServerSettings {
  return {
    ...{ url, allow, calls: 100, answer_length: 10_000, timeout_ms: 60_000, needs_headers: false },
    ...over,
  };
}
