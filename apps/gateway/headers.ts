// The headers that pass the gateway, in both directions.
import { providers } from "../../lib/models/providers.ts";

const passes = Object.values(providers).map((provider) => provider.passes);
const toProvider = new Set([
  ...["content-type", "accept", "user-agent", "idempotency-key", "x-client-request-id"],
  ...passes.flatMap((one) => one.toProvider),
]);
const toClient = [
  /^(?:content-type|request-id|x-request-id|retry-after|retry-after-ms|x-should-retry)$/,
  ...passes.map((one) => one.toClient),
];

/** The API's own headers; never the token of the client. */
export function headersForProvider(headers: Headers): Headers {
  const passed = new Headers([...headers].filter(([name]) => toProvider.has(name)));
  passed.set("content-type", "application/json");
  // The gateway reads answers on their way, so that they must not be compressed.
  passed.set("accept-encoding", "identity");
  return passed;
}

export function headersForClient(headers: Headers): Headers {
  const passed = [...headers].filter(([name]) => toClient.some((names) => names.test(name)));
  return new Headers(passed);
}
