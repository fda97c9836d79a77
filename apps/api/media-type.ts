// Refuses a body that says to be something else than JSON, or is no UTF-8 text, before anything
// reads it.
import { isUtf8 } from "node:buffer";
import type { MiddlewareHandler } from "hono";
import { oneLine, shorten } from "../../lib/client/text/plain-text.ts";
import { SettError } from "../../lib/model/errors.ts";
import { isWrite } from "./access/authenticate.ts";
import type { Env } from "./env.ts";

/** The routes read it so: also `application/problem+json; charset=utf-8`. */
const jsonPattern = /^application\/(?:[a-z-.]+\+)?json\s*(?:;|$)/i;

export const requireJson: MiddlewareHandler<Env> = async ({ req }, next) => {
  const { raw } = req;
  if (isWrite(raw) && hasBody(raw)) {
    const type = raw.headers.get("content-type") ?? "";
    if (!jsonPattern.test(type.trim())) throw notJson(type);
    // Decoding would replace each byte that is not, without a word: a goal would be stated that
    // differs from what was sent.
    const body = await req.arrayBuffer().catch(() => {
      throw new SettError("usage", "The body of the request ended before it was whole.", {
        hint: "Send it again.",
      });
    });
    if (!isUtf8(new Uint8Array(body))) throw notUtf8();
  }
  await next();
};

function hasBody({ body, headers }: Request): boolean {
  return body !== null && headers.get("content-length") !== "0";
}

function notJson(type: string): SettError {
  const what = type === "" ? "does not say what it is" : `is ${shorten(oneLine(type), 100)}`;
  return new SettError(
    "wrong-media-type",
    `The body of the request ${what}, and the API takes JSON alone.`,
    {
      hint: "Send a JSON object with `Content-Type: application/json`.",
    },
  );
}

function notUtf8(): SettError {
  return new SettError("usage", "The body of the request is not UTF-8 text.", {
    hint: "Send JSON in UTF-8.",
  });
}
