// The log of one part of an instance, through its API.
import { type ApiAddress, askApi, unreachableApi } from "./api-client.ts";

/** `tail`: the last lines alone; undefined: all. */
type Wanted = { part: string; tail: number | undefined; follow: boolean };

/** Line by line, as the part has written it. With `follow` until the signal. Throws as `askApi`. */
export async function* remoteLog(api: ApiAddress, { part, tail, follow }: Wanted, signal: AbortSignal): AsyncGenerator<string> {
  const query = new URLSearchParams({ ...(tail !== undefined && { tail: String(tail) }), ...(follow && { follow: "true" }) });
  const path = `/v1/agents/${encodeURIComponent(part)}/logs?${query}`;
  const response = await askApi(api, { path, accept: "text/plain", signal, isStream: follow });
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of response.body ?? []) {
      const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (cause) {
    if (signal.aborted) return;
    throw unreachableApi(api.url, "the log broke off", cause);
  }
  if (rest !== "") yield rest;
}
