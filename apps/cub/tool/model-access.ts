// How an agent's commands reach its model: by the gateway, with a token that is good for one grant.
import type { Provider } from "../../../lib/model/config-models.ts";

/**
 * `model`: the provider's name of it. `name`: that in sett.yml, for people. `gatewayUrl` has no
 * slash at its end.
 */
export type ModelAccess = { gatewayUrl: string; model: string; provider: Provider; name: string };

/**
 * The variables that clients of both providers read. The agent's own values of the same names do
 * not count: its provider's key, if it had one, would not be known to the gateway.
 */
export function modelVariables(
  { gatewayUrl, model, provider }: ModelAccess,
  token: string,
): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: `${gatewayUrl}/anthropic`,
    ANTHROPIC_API_KEY: token,
    OPENAI_BASE_URL: `${gatewayUrl}/openai/v1`,
    OPENAI_API_KEY: token,
    SETT_MODEL: model,
    SETT_MODEL_PROVIDER: provider,
  };
}

/** Clients send it beside the key, and the gateway would have two to choose from. */
const otherCredentials = ["ANTHROPIC_AUTH_TOKEN"];

/** `environment` with the variables of this run. */
export function withModel(
  environment: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  if (variables === undefined) return { ...environment };
  const kept = Object.entries(environment).filter(([name]) => !otherCredentials.includes(name));
  return { ...Object.fromEntries(kept), ...variables };
}
