// Which headers pass the gateway, in both directions.

/**
 * Not `openai-organization` and `openai-project`: whose account pays is not for an agent to choose.
 */
const toProvider =
  /^(?:content-type|accept|user-agent|idempotency-key|x-client-request-id|anthropic-version|anthropic-beta|openai-beta)$/;
const toClient =
  /^(?:content-type|request-id|x-request-id|retry-after|retry-after-ms|x-should-retry|anthropic-ratelimit-.+|x-ratelimit-.+|openai-processing-ms|openai-version)$/;

/** What the API needs; never the token of the client. */
export function headersForProvider(headers: Headers): Headers {
  const passed = new Headers([...headers].filter(([name]) => toProvider.test(name)));
  passed.set("content-type", "application/json");
  // What is read on the way must not be compressed.
  passed.set("accept-encoding", "identity");
  return passed;
}

export function headersForClient(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => toClient.test(name)));
}

/** `x-api-key`, or the bearer of `Authorization`. */
export function tokenTextOf(headers: Headers): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(headers.get("authorization")?.trim() ?? "")?.[1];
  return headers.get("x-api-key")?.trim() || bearer;
}
