import { expect, test } from "bun:test";
import { headersForClient, headersForProvider } from "../../../../apps/gateway/headers.ts";

test("no token, cookie, address or account goes to a provider, and nothing comes back compressed", () => {
  const sent = {
    ...{
      authorization: "Bearer t",
      "x-api-key": "t",
      "api-key": "t",
      cookie: "a",
      host: "gateway",
      "x-forwarded-for": "1.2.3.4",
      "openai-organization": "org",
      "openai-project": "p",
    },
    ...{
      "anthropic-version": "v",
      "openai-beta": "b",
      accept: "text/event-stream",
      "accept-encoding": "gzip, br",
    },
  };
  expect(Object.fromEntries(headersForProvider(new Headers(sent)))).toEqual({
    "anthropic-version": "v",
    "openai-beta": "b",
    accept: "text/event-stream",
    "accept-encoding": "identity",
    "content-type": "application/json",
  });
});

test("a client gets what it can act on, and nothing of the provider's account", () => {
  const got = {
    ...{
      "content-type": "application/json",
      "retry-after": "3",
      "x-ratelimit-remaining-tokens": "5",
      "x-request-id": "r",
    },
    ...{
      "set-cookie": "a=b",
      "openai-organization": "org",
      "content-encoding": "gzip",
      "content-length": "9",
      server: "x",
    },
  };
  expect(Object.fromEntries(headersForClient(new Headers(got)))).toEqual({
    "content-type": "application/json",
    "retry-after": "3",
    "x-ratelimit-remaining-tokens": "5",
    "x-request-id": "r",
  });
});
