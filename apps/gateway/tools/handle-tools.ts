// The MCP endpoint of the gateway: each agent with tools has the ones that sett.yml allows it.

import { providerAt, tokenIn } from "../../../lib/models/providers.ts";
import { parseToken } from "../../../lib/models/token.ts";
import { awayError, tokenError } from "../admit.ts";
import { ClientError } from "../client-error.ts";
import type { Deps } from "../deps.ts";
import { answerErrors, bodyOf } from "../handle-call.ts";
import type { HeldBytes } from "../held-bytes.ts";
import type { ToolCaller } from "./tool-names.ts";
import type { Tools } from "./tools.ts";

const maxRequestBytes = 1024 * 1024;

/** `held`: the memory that an agent's requests share with those to its model. */
type Parts = { tools: Pick<Tools, "namesOf" | "list" | "call">; held: HeldBytes; version: string };

/** Never rejects. A request is whole in itself: there are no sessions, and no streams. */
export async function handleTools(
  deps: Deps,
  { tools, held, version }: Parts,
  request: Request,
): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  return await answerErrors(deps, providerAt("/mcp"), async () => {
    const of = await callerOf(deps, request.headers);
    if (tools.namesOf(of.token.agent) === undefined)
      throw new ClientError(
        403,
        "no-tools",
        `The agent \`${of.token.agent}\` has no \`tools\` in sett.yml.`,
      );
    const limits = { ...deps.limits, maxRequestBytes };
    const { agent } = of.token;
    const { bytes, release } = await bodyOf({ limits }, held, { agent, request });
    try {
      return await answer(tools, of, { version, request, text: new TextDecoder().decode(bytes) });
    } finally {
      release();
    }
  });
}

/** Throws a ClientError. Only work has tools: a bid decides, and does nothing. */
async function callerOf({ board }: Pick<Deps, "board">, headers: Headers): Promise<ToolCaller> {
  const token = parseToken(tokenIn(headers) ?? "");
  if (token === undefined || token.kind !== "grant")
    throw new ClientError(
      401,
      "token-refused",
      "Tools need the token of a grant, as `Authorization: Bearer` and `SETT_MCP_TOKEN`.",
    );
  const found = await board.findCaller(token).catch(awayError);
  if (found.outcome === "refused") throw tokenError(found);
  return { token, caller: found.caller };
}

/** Deno does not find the types of the SDK, and so does not infer this one. */
type ToolCall = { params: { name: string; arguments?: Record<string, unknown> | undefined } };

type Incoming = { version: string; request: Request; text: string };

async function answer(tools: Parts["tools"], of: ToolCaller, { version, request, text }: Incoming) {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, types] =
    await Promise.all([
      import("@modelcontextprotocol/sdk/server/index.js"),
      import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
  const server = new Server({ name: "sett", version }, { capabilities: { tools: {} } });
  const { signal } = request;
  server.setRequestHandler(types.ListToolsRequestSchema, async () => ({
    tools: await tools.list(of, signal),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }: ToolCall) => ({
    ...(await tools.call(of, params.name, params.arguments ?? {}, signal)),
  }));
  const transport = new Transport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const whole = new Request(request.url, {
      method: "POST",
      headers: request.headers,
      body: text,
    });
    return await transport.handleRequest(whole);
  } finally {
    await server.close();
  }
}
