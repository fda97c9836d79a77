// Finds out who calls, and which model the caller's agent has.
import type { RecentMap } from "../../lib/async/recent-map.ts";
import type { TokenRefused } from "../../lib/blackboard/port/models.ts";
import type { ModelSettings, Provider } from "../../lib/model/config-models.ts";
import type { ModelToken } from "../../lib/model/model-call.ts";
import { providers, tokenIn } from "../../lib/models/providers.ts";
import { parseToken } from "../../lib/models/token.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import { ClientError } from "./client-error.ts";
import type { Deps } from "./deps.ts";
import type { AgentModel } from "./settings.ts";

export type Admitted = { token: ModelToken; agent: AgentModel; model: ModelSettings };

/** Tokens that were good a while ago, by their digests. */
export type KnownTokens = RecentMap<string, true>;

/**
 * `format`: whose API the path has. `known`: for calls, whose reservation checks the token once
 * more. Throws a ClientError.
 */
export async function admit(
  { board, agents, models }: Pick<Deps, "board" | "agents" | "models">,
  headers: Headers,
  format: Provider,
  known?: KnownTokens,
): Promise<Admitted> {
  const text = tokenIn(headers);
  if (text === undefined) {
    throw new ClientError(
      401,
      "token-refused",
      "The request has no token: the variables of the agent's environment have it as the key.",
    );
  }
  const token = parseToken(text);
  if (token === undefined)
    throw new ClientError(
      401,
      "token-refused",
      "The gateway takes only tokens of Sett, and this is none.",
    );
  if (known?.get(token.digest) !== true) {
    const found = await board.findCaller(token).catch(awayError);
    if (found.outcome === "refused") throw tokenError(found);
    known?.set(token.digest, true);
  }
  const agent = agents.get(token.agent);
  const model = agent === undefined ? undefined : models.get(agent.model);
  if (agent === undefined || model === undefined) {
    throw new ClientError(
      403,
      "no-model",
      `The agent \`${token.agent}\` has no model in sett.yml.`,
    );
  }
  if (model.provider !== format) {
    const [own, other] = [providers[model.provider].label, providers[format].label];
    const problem =
      `The model \`${agent.model}\` of the agent \`${token.agent}\` has ${own}'s API, and this path is ` +
      `${other}'s. Use a client for ${own}'s API, or give the agent another model.`;
    throw new ClientError(404, "wrong-provider", problem);
  }
  return { token, agent, model };
}

/** A token that was good is over; any other has never been one. */
export function tokenError({ reason, isEnded }: TokenRefused): ClientError {
  return isEnded
    ? new ClientError(403, "grant-ended", `The token is no longer good: ${reason}`)
    : new ClientError(401, "token-refused", `The token is not good: ${reason}`);
}

/** Turns the loss of Redis into an error that the client may repeat; any other error goes on. */
export function awayError(error: unknown): never {
  if (!isAway(error)) throw error;
  throw new ClientError(
    503,
    "redis-unreachable",
    "The gateway has no contact with Redis, where the budgets are. Try again soon.",
    {
      mayRetry: true,
      headers: { "retry-after": "2" },
    },
  );
}
