// How an agent's commands reach its model: by the gateway, with a token that is good for one grant.
import { Provider } from "../../../lib/model/config-models.ts";
import { providers } from "../../../lib/models/providers.ts";

/**
 * `model`: the provider's name of it. `name`: that in sett.yml, for people. `gatewayUrl` has no
 * slash at its end.
 */
export type ModelAccess = { gatewayUrl: string; model: string; provider: Provider; name: string };

/**
 * The variables that clients of each provider read. The agent's own values of the same names do
 * not count: its provider's key, if it had one, would not be known to the gateway.
 */
export function modelVariables(
  { gatewayUrl, model, provider }: ModelAccess,
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
