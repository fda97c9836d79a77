// The log of one part of an instance, through its API.
import { type ApiAddress, askApi, unreachableApi } from "./api-client.ts";

/** `tail`: the last lines alone; undefined: as many as the API gives. */
export type WantedLog = { part: string; tail: number | undefined; follow: boolean };

/**
 * Line by line, as the part has written it; with `follow` until the signal, or until the API ends
 * it. Resolves when the API has begun to answer. Throws as `askApi`.
 */
export async function openRemoteLog(
  api: ApiAddress,
  { part, tail, follow }: WantedLog,
  signal: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const query = new URLSearchParams({
    ...(tail !== undefined && { tail: String(tail) }),
    ...(follow && { follow: "true" }),
  });
  const path = `/v1/agents/${encodeURIComponent(part)}/logs?${query}`;
  return linesOf(
    api,
    await askApi(api, { path, accept: "text/plain", signal, isStream: follow }),
    signal,
  );
}

async function* linesOf(
  api: ApiAddress,
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<string> {
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
