// Lists the names by which the API may be asked. A page of another site can let its own name lead
// to this machine (DNS rebinding): the browser then takes what answers here for a part of that
// site.
import type { MiddlewareHandler } from "hono";
import { oneLine, shorten } from "../../lib/client/text/plain-text.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { Env } from "./env.ts";

/** `names`: undefined for any. The port may be any: a tunnel has one of its own. */
export function requireHostName(names: readonly string[] | undefined): MiddlewareHandler<Env> {
  return async ({ req }, next) => {
    if (!URL.canParse(req.url))
      throw new SettError("usage", "The request names no host.", {
        hint: "Send the header `Host`.",
      });
    const { hostname } = new URL(req.url);
    if (names !== undefined && !names.includes(hostname)) throw wrongHost(hostname, names);
    await next();
  };
}

function wrongHost(name: string, names: readonly string[]): SettError {
  const known = names.join(", ");
  return new SettError(
    "wrong-host",
    `The request is for ${shorten(oneLine(name), 100)}, and here answers ${known} alone.`,
    {
      hint: `Use one of these names: ${known}.`,
    },
  );
}
