// The answer to a request that was not carried out.
import { HTTPException } from "hono/http-exception";
import { oneLine, shorten } from "../../lib/client/text/plain-text.ts";
import { messageOf, SettError } from "../../lib/model/errors.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import type { Parts } from "./parts.ts";
import { problemOf, problemResponse } from "./problem.ts";

/**
 * An unexpected error goes into the log with the request's path, and without the request, which may
 * have secrets.
 */
export function refuse(
  { deps: { log, metrics } }: Pick<Parts, "deps">,
  thrown: unknown,
  path = "",
): Response {
  const error = thrown instanceof HTTPException ? fromHono(thrown) : thrown;
  const { code, status } = problemOf(error);
  metrics.refusals.inc({ code });
  if (status === 500)
    log.error("A request has failed", {
      error: error instanceof Error ? (error.stack ?? error) : String(error),
    });
  else if (isAway(error)) log.warn("Redis is away", { error });
  // Why another program does not answer is for those who run the API, and not for a stranger.
  else if (status === 503 && error instanceof Error && error.cause !== undefined)
    log.warn("A request needs what does not answer", { error, reason: firstCause(error.cause) });
  return problemResponse(error, headersOf(status), {
    isCommandLine: path.startsWith("/v1/board/"),
  });
}

function firstCause(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? firstCause(error.cause)
    : messageOf(error);
}

function headersOf(status: number): Record<string, string> {
  if (status === 401) return { "www-authenticate": 'Bearer realm="sett"' };
  // Streams are not waited for: it is not known when one ends.
  return status === 429 ? { "retry-after": "5" } : {};
}

export function unknownAddress(path: string): SettError {
  return new SettError(
    "not-found",
    `The API has no address ${shorten(oneLine(path), 100)}, or not for this method.`,
    {
      hint: "`/v1/openapi.json` lists all of them.",
    },
  );
}

/** Hono refuses what is no JSON by itself. */
function fromHono({ message }: HTTPException): SettError {
  return new SettError("usage", message === "" ? "The request cannot be read." : `${message}.`, {
    hint: "Send a JSON object with `Content-Type: application/json`.",
  });
}
