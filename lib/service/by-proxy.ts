// Makes the requests of a program go by the proxies of its environment: none to this machine goes
// through one, and the error of every other names the proxy in between.
import { clauseOf } from "../model/errors.ts";
import { directToThisMachine, proxyRefusal, throughProxy } from "../model/proxy.ts";

type Environment = Record<string, string | undefined>;
type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** To be called before the first request. Without a proxy it changes nothing. */
export function goByProxies(env: Environment): void {
  const direct = directToThisMachine(env);
  if (Object.keys(direct).length === 0) return;
  Object.assign(env, direct);
  const { preconnect } = fetch;
  globalThis.fetch = Object.assign(namingProxy(fetch, { ...env }), { preconnect });
}

/**
 * Libraries make requests by themselves, so that there is one place for all of them. What a proxy
 * answers in the place of a host without TLS is an error, as it is with TLS.
 */
export function namingProxy(send: Fetch, env: Environment): Fetch {
  return async (input, init) => {
    const way = throughProxy(input instanceof Request ? input.url : String(input), env);
    if (way === "" || hasWayOfItsOwn(init)) return await send(input, init);
    const response = await send(input, init).catch((error: unknown) => {
      throw named(error, way);
    });
    if (!isOfProxy(response)) return response;
    await response.body?.cancel().catch(() => {});
    throw proxyRefusal(`${response.status} ${response.statusText}`.trim(), way);
  };
}

function hasWayOfItsOwn(init: RequestInit | undefined): boolean {
  return init !== undefined && ("unix" in init || "proxy" in init);
}

/** The error itself, since callers know it by its name and code. */
function named(error: unknown, way: string): unknown {
  // The reason of a caller who has ended the request is the caller's own.
  if (
    !(error instanceof Error) ||
    !(("code" in error && error.name !== "AbortError") || error.name === "TimeoutError")
  )
    return error;
  if (!error.message.endsWith(way))
    Object.defineProperty(error, "message", {
      value: `${clauseOf(error)}${way}`,
      configurable: true,
      writable: true,
    });
  return error;
}

/** Proxies alone ask for a login by 407, and Squid marks the answers that it makes itself. */
function isOfProxy({ status, headers }: Response): boolean {
  return status === 407 || headers.has("x-squid-error");
}
