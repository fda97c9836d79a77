// How an agent's commands reach its model: by the gateway, with a token that is good for one grant.
import { z } from "zod";
import { Provider } from "../../../lib/model/config-models.ts";
import { providers } from "../../../lib/models/providers.ts";

/**
 * `model`: the provider's name of it. `name`: that in sett.yml, for people. `gatewayUrl` has no
 * slash at its end. `contextTokens`, `outputTokens`: the model's limits, where they are known.
 * `timeoutMs`: how long it may take for a bid. `hasTools`: tools of MCP servers are at the gateway.
 */
export type ModelAccess = {
  gatewayUrl: string;
  model: string;
  provider: Provider;
  name: string;
  contextTokens?: number | undefined;
  outputTokens?: number | undefined;
  timeoutMs?: number | undefined;
  hasTools?: boolean | undefined;
};

const tokens = z.coerce.number({ error: "must be a number of tokens" }).int().min(1).optional();

/** The cub hands them on to the agent's commands. */
export const modelLimits = {
  SETT_MODEL_CONTEXT: tokens.describe(
    "How many tokens a request of the model and its answer may have together.",
  ),
  SETT_MODEL_OUTPUT: tokens.describe("How many tokens an answer of the model may have."),
};

/**
 * The variables that clients of each provider read. The agent's own values of the same names do
 * not count: its provider's key, if it had one, would not be known to the gateway.
 */
export function modelVariables(
  { gatewayUrl, model, provider, contextTokens, outputTokens, hasTools }: ModelAccess,
  token: string,
): Record<string, string> {
  return {
    ...Object.fromEntries(
      Provider.options.flatMap((name) => {
        const { address, key, root } = providers[name].variables;
        return [
          [address, `${gatewayUrl}/${name}${root}`],
          [key, token],
        ];
      }),
    ),
    SETT_MODEL: model,
    SETT_MODEL_PROVIDER: provider,
    ...(contextTokens !== undefined && { SETT_MODEL_CONTEXT: String(contextTokens) }),
    ...(outputTokens !== undefined && { SETT_MODEL_OUTPUT: String(outputTokens) }),
    ...(hasTools === true && { SETT_MCP_URL: `${gatewayUrl}/mcp`, SETT_MCP_TOKEN: token }),
  };
}

/** Clients send it beside the key, and the gateway would have two to choose from. */
const otherCredentials = Object.values(providers).flatMap(({ variables }) => variables.beside);

/** `environment` with the variables of this run. */
export function withModel(
  environment: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  if (variables === undefined) return { ...environment };
  const kept = Object.entries(environment).filter(([name]) => !otherCredentials.includes(name));
  return { ...Object.fromEntries(kept), ...variables };
}
