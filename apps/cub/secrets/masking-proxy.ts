// Serves between the agent's commands and the gateway: what they send to their model has no value
// of a secret in it, so that neither the provider nor the transcript has one.
import { serveFew } from "../../../lib/service/serve-few.ts";
import { jsonIn, maskedJson } from "./mask-json.ts";
import type { Masker } from "./masker.ts";

/** The connection's own, and what the answer no longer is: it is decompressed on the way. */
const dropped = [
  "connection",
  "content-encoding",
  "content-length",
  "host",
  "keep-alive",
  "transfer-encoding",
];

/** A call of a model is one. */
const maxConnections = 256;
/** As many bytes as the gateway reads. */
const maxBodyBytes = 32 * 1024 * 1024;

/**
 * Returns its URL, without a slash at its end. `target` has none either. It does not keep the
 * process alive.
 */
export async function openMaskingProxy(target: string, masker: () => Masker): Promise<string> {
  const few = { port: 0, hostname: "127.0.0.1", most: maxConnections, maxBodyBytes };
  const server = await serveFew(few, async (request) => {
    if (request.headers.has("content-encoding"))
      return refusal(
        415,
        "An agent with secrets cannot send compressed requests to its model: they could not be searched.",
      );
    const { pathname, search } = new URL(request.url);
    const { method, signal } = request;
    const headers = passedOn(request.headers);
    headers.set("accept-encoding", "identity");
    const hasBody = method !== "GET" && method !== "HEAD";
    const body = hasBody
      ? maskedBody(new Uint8Array(await request.arrayBuffer()), masker())
      : undefined;
    try {
      const order = { method, headers, signal, redirect: "manual" as const };
      const answer = await fetch(
        `${target}${maskedPath(pathname, masker())}${masker().text(search)}`,
        {
          ...order,
          ...(body && { body: new Uint8Array(body) }),
        },
      );
      const { status, statusText } = answer;
      return new Response(answer.body, { status, statusText, headers: passedOn(answer.headers) });
    } catch (error) {
      if (signal.aborted) throw error;
      return refusal(502, "The gateway cannot be reached.");
    }
  });
  server.unref();
  return `http://127.0.0.1:${server.port}`;
}

/** Members by which the APIs of models go: `role`, `type`, `tool_call_id`, `media_type`. */
const isOfApi = /(?:^|_)(?:id|role|type|model|name|format|reason|choice|effort)$/;

/**
 * In JSON a value that is an ordinary word stays where the API may have that word, or the request
 * would not be understood.
 */
function maskedBody(body: Uint8Array, masker: Masker): Uint8Array {
  if (masker.find(body) === undefined) return body;
  const json = jsonIn(new TextDecoder().decode(body));
  if (json === undefined) return masker.bytes(body);
  const isWord = (key: string, text: string) => isOfApi.test(key) || /^[\w.-]+$/.test(text);
  return new TextEncoder().encode(maskedJson(json, masker, { isWord }));
}

/** The slashes are those of the API. */
function maskedPath(path: string, masker: Masker): string {
  return path
    .split("/")
    .map((part) => masker.words(part))
    .join("/");
}

function passedOn(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => !dropped.includes(name)));
}

function refusal(status: number, message: string): Response {
  return Response.json({ error: { type: "sett_error", message } }, { status });
}
