// The providers of language models: one file each in lib/models/providers.
import { Provider } from "../model/config-models.ts";
import { anthropic } from "./providers/anthropic.ts";
import { openai } from "./providers/openai.ts";
import type { ProviderTraits } from "./traits.ts";

export const providers: Readonly<Record<Provider, ProviderTraits>> = { anthropic, openai };

/** Every provider, for descriptions: `anthropic` or `openai`. */
export const anyProvider = Provider.options.map((name) => `\`${name}\``).join(" or ");

/** The provider whose part of the gateway a path is in; for any other path the usual one. */
export function providerAt(path: string): Provider {
  return Provider.options.find((name) => path.startsWith(`/${name}/`)) ?? "openai";
}

/** Whether clients of a provider read the variable, so that the cub sets it or takes it away. */
export function isModelVariable(name: string): boolean {
  return Object.values(providers).some(({ variables }) => name.startsWith(variables.prefix));
}

/** The header with the key of a provider; none where it needs no key. */
export function keyHeader(provider: Provider, key: string | undefined): Record<string, string> {
  const { header, prefix } = providers[provider].key;
  return key === undefined ? {} : { [header]: `${prefix}${key}` };
}

/** An error as the clients of a provider read it, as JSON. */
export function errorBody(provider: Provider, status: number, message: string): string {
  return JSON.stringify(providers[provider].errorOf(status, message));
}

/** The same as the last event of a stream that cannot go on. */
export function errorEvent(provider: Provider, message: string): string {
  return providers[provider].errorEvent(errorBody(provider, 500, message));
}

/** The token of a client, wherever clients of some provider send it. */
export function tokenIn(headers: Headers): string | undefined {
  const tokens = Object.values(providers).map(({ key: { header, prefix } }) => {
    const value = headers.get(header)?.trim() ?? "";
    if (!value.toLowerCase().startsWith(prefix.toLowerCase())) return "";
    const token = value.slice(prefix.length).trim();
    return /\s/.test(token) ? "" : token;
  });
  return tokens.find((token) => token !== "");
}
