// Asks each provider for its list of models, so that `sett up` says early which provider cannot be
// reached, or refuses its key. It costs nothing, and starts nothing.
import type { ModelSettings } from "../../lib/model/config-models.ts";
import { proxyStatusOf } from "../../lib/model/proxy.ts";
import { keyHeader, providers } from "../../lib/models/providers.ts";
import type { WayTo } from "./ask-once.ts";

/** `problem`: a sentence with the model's name in sett.yml, and without a key. */
export type ModelProblem = { model: string; problem: string };

type Keys = { read(model: string): Promise<string | undefined> };

type Within = { timeoutMs: number; wayTo?: WayTo };

/** All at the same time; `timeoutMs` for each. */
export async function probeModels(
  models: ReadonlyMap<string, ModelSettings>,
  keys: Keys,
  within: Within,
): Promise<ModelProblem[]> {
  const found = await Promise.all(
    [...models].map(async ([model, settings]) => {
      const problem = await probe(model, settings, await keys.read(model), within);
      return problem === undefined ? [] : [{ model, problem }];
    }),
  );
  return found.flat();
}

async function probe(
  name: string,
  settings: ModelSettings,
  key: string | undefined,
  { timeoutMs, wayTo }: Within,
): Promise<string | undefined> {
  const { provider, base_url } = settings;
  // Without its key the gateway refuses every call by itself.
  if (settings.needs_key && key === undefined) return undefined;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(`${base_url}/models`, {
      headers: { ...providers[provider].ownHeaders, ...keyHeader(provider, key) },
      redirect: "manual",
      signal,
    });
    await answer.body?.cancel();
    const { status } = answer;
    if (status === 401 || status === 403)
      return `${base_url} refuses the key of the model ${name} (${status})`;
    return status >= 500
      ? `${base_url}, of the model ${name}, answers with ${status}${wayTo?.(base_url) ?? ""}`
      : undefined;
  } catch (error) {
    return `${base_url}, of the model ${name}, cannot be reached: ${reasonOf(error, timeoutMs)}${wayTo?.(base_url) ?? ""}`;
  }
}

/** By the kind of the failure: the text of an error might quote a header. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `no answer within ${timeoutMs / 1_000} s`;
  const status = proxyStatusOf(error);
  if (status !== undefined) return `a proxy on the way answers ${status}`;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? "no connection";
}

const reasons: Readonly<Record<string, string>> = {
  ConnectionRefused: "connection refused",
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "unknown host",
  FailedToOpenSocket: "unknown host",
};
