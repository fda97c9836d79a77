// The packages by which the built-in worker speaks with a provider.
import type { LanguageModel } from "ai";
import { providers } from "../../../lib/models/providers.ts";
import type { ProviderTraits } from "../../../lib/models/traits.ts";
import type { WorkSettings } from "./settings.ts";

type Client = (settings: WorkSettings["model"]) => Promise<LanguageModel>;

export function clientOf(settings: WorkSettings["model"]): Promise<LanguageModel> {
  return clients[providers[settings.provider].client](settings);
}

/** Each is loaded where it is used. */
const clients: Readonly<Record<ProviderTraits["client"], Client>> = {
  "@ai-sdk/anthropic": async ({ name, baseUrl, key }) => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const baseURL = `${baseUrl.replace(/\/v1$/, "")}/v1`;
    return createAnthropic({ baseURL, apiKey: key, fetch: patientFetch })(name);
  },
  "@ai-sdk/openai-compatible": async ({ provider, name, baseUrl, key }) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const client = createOpenAICompatible({
      ...{ name: provider, baseURL: baseUrl, apiKey: key, fetch: patientFetch },
      transformRequestBody: (body: Record<string, unknown>) => withLimitFor(name, body),
    });
    return client(name);
  },
};

/**
 * Bun ends a request after five minutes, which a long answer of a slow model may need; the worker
 * has its own time limit.
 */
const patientFetch = Object.assign(
  (input: RequestInfo | URL, init?: RequestInit) =>
    fetch(input, { ...init, timeout: false } as RequestInit),
  { preconnect: () => undefined },
);

/**
 * OpenAI's own newer models refuse `max_tokens`, while many compatible servers know nothing else.
 */
export function withLimitFor(
  model: string,
  body: Record<string, unknown>,
): Record<string, unknown> {
  if (!/^(?:o\d|gpt-[5-9]|chatgpt-)/.test(model)) return body;
  const { max_tokens, ...rest } = body;
  return { ...rest, max_completion_tokens: max_tokens };
}
