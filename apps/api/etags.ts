// A strong ETag of each JSON answer, so that a client that asks again gets only a short `304`.
import { createHash } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import type { Env } from "./env.ts";
import { answerBody } from "./large-answers.ts";

/** `folder`: where a large answer waits for its client. */
export function answerEtags(folder: string | undefined): MiddlewareHandler<Env> {
  return async (context, next) => {
    await next();
    await addEtag(context, folder);
  };
}

async function addEtag(context: Context<Env>, folder: string | undefined): Promise<void> {
  const { req, res } = context;
  const isAnswer = (req.method === "GET" || req.method === "HEAD") && res.status === 200;
  if (!isAnswer || !res.headers.get("content-type")?.startsWith("application/json")) return;
  const body = new Uint8Array(await res.arrayBuffer());
  const etag = etagOf(body);
  const headers = new Headers(res.headers);
  headers.set("etag", etag);
  const isKnown = matches(req.header("if-none-match"), etag);
  if (isKnown) headers.delete("content-type");
  // Hono adds the headers of the answer before to the new one.
  context.res = undefined;
  context.res = isKnown
    ? new Response(null, { status: 304, headers })
    : new Response(req.method === "HEAD" ? null : await answerBody(body, folder), {
        status: 200,
        headers,
      });
}

export function etagOf(content: string | Uint8Array): string {
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 27)}"`;
}

/** `header`: of If-None-Match. A proxy may have made a weak one of ours. */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return (
    header.trim() === "*" ||
    header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag)
  );
}
