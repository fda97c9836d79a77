// Refuses a body that says to be something else than JSON, before anything reads it.
import type { MiddlewareHandler } from "hono";
import { oneLine, shorten } from "../../lib/client/text/plain-text.ts";
import { SettError } from "../../lib/model/errors.ts";
import { isWrite } from "./access/authenticate.ts";
import type { Env } from "./env.ts";

/** As the routes read it: also `application/problem+json; charset=utf-8`. */
const jsonPattern = /^application\/(?:[a-z-.]+\+)?json\s*(?:;|$)/i;

export const requireJson: MiddlewareHandler<Env> = async ({ req: { raw } }, next) => {
  const type = raw.headers.get("content-type") ?? "";
  if (isWrite(raw) && hasBody(raw) && !jsonPattern.test(type.trim())) throw notJson(type);
  await next();
};

function hasBody({ body, headers }: Request): boolean {
  return body !== null && headers.get("content-length") !== "0";
}

function notJson(type: string): SettError {
  const what = type === "" ? "does not say what it is" : `is ${shorten(oneLine(type), 100)}`;
  return new SettError("wrong-media-type", `The body of the request ${what}, and the API takes JSON alone.`, {
    hint: "Send a JSON object with `Content-Type: application/json`.",
  });
}
