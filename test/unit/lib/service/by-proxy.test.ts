import { expect, test } from "bun:test";
import { proxyStatusOf } from "../../../../lib/model/proxy.ts";
import { namingProxy } from "../../../../lib/service/by-proxy.ts";

const env = {
  HTTPS_PROXY: "http://me:secret@proxy.example:3128",
  HTTP_PROXY: "proxy.example:3128",
};
const way =
  "(asked through the proxy proxy.example:3128 of HTTPS_PROXY; NO_PROXY names hosts that need none)";

type Send = Parameters<typeof namingProxy>[0];

async function errorOf(send: Send, url = "https://far.example", init?: RequestInit) {
  return await namingProxy(send, env)(url, init).then(
    () => undefined,
    (error: unknown) => error,
  );
}

const failing = (error: unknown) => () => Promise.reject(error);
const withCode = (code: string) => Object.assign(new Error("Unable to connect."), { code });

test("an error of a host behind a proxy names the proxy once, and is the same error", async () => {
  const error = withCode("ECONNREFUSED");
  expect(await errorOf(failing(error))).toBe(error);
  expect(await errorOf(failing(error))).toBe(error);
  expect(error.message).toBe(`Unable to connect ${way}`);
  const late = new DOMException("The operation timed out.", "TimeoutError");
  expect(await errorOf(failing(late))).toBe(late);
  expect(late.message).toContain(way);
});

test("errors of hosts that need none, and reasons of callers who ended it, stay as they are", async () => {
  const near = withCode("ECONNREFUSED");
  for (const url of ["https://localhost:1", "http://[::1]:1", "unix:x"])
    await errorOf(failing(near), url);
  await errorOf(failing(near), "http://far.example", { unix: "/run/socket" } as RequestInit);
  expect(near.message).toBe("Unable to connect.");
  for (const reason of ["stop", new Error("stop"), new DOMException("stop", "AbortError")]) {
    expect(await errorOf(failing(reason))).toBe(reason);
    expect(String(reason)).not.toContain("proxy");
  }
});

test.each([
  ["407 Proxy Authentication Required", {}],
  ["503 Service Unavailable", { "x-squid-error": "ERR_CONNECT_FAIL 111" }],
  ["403 Forbidden", { "x-squid-error": "ERR_ACCESS_DENIED 0" }],
])("an answer %s of the proxy itself is an error that names it", async (answer, headers) => {
  const [status, ...words] = answer.split(" ");
  const response = new Response("page", {
    status: Number(status),
    statusText: words.join(" "),
    headers,
  });
  const error = await errorOf(async () => response, "http://far.example");
  expect(String(error)).toContain(
    `${answer} (asked through the proxy proxy.example:3128 of HTTP_PROXY;`,
  );
  expect(proxyStatusOf(error)).toBe(Number(status));
});

test("an answer of the host is the host's", async () => {
  const answer = new Response("busy", { status: 503, headers: { via: "1.1 proxy" } });
  expect(await namingProxy(async () => answer, env)("http://far.example")).toBe(answer);
});
