// Says which models may answer a call, one after the other, and when the next one is asked:
// `fallback` in sett.yml.
import type { ModelSettings } from "../../lib/model/config-models.ts";
import { ModelName } from "../../lib/model/config-models.ts";
import { memberAt } from "../../lib/model/json.ts";
import { apis } from "../../lib/models/apis.ts";
import type { ModelRequest } from "../../lib/models/request.ts";
import type { Admitted } from "./admit.ts";
import { ClientError } from "./client-error.ts";
import type { ErrorCode, UpstreamAnswer } from "./upstream.ts";

/** `admitted` has the model whose turn it is. `insteadOf`: the agent's own, where it is another. */
export type Turn = { admitted: Admitted; insteadOf: string | undefined; hasNext: boolean };

/** For so long a provider is asked again that is away, where another model may answer. */
export const untilNextMs = 10_000;

/**
 * The agent's model comes first. It is the only one for a request that continues, or begins, a
 * conversation that the provider keeps: no other provider has it.
 */
export function turnsOf(
  models: ReadonlyMap<string, ModelSettings>,
  admitted: Admitted,
  request: Pick<ModelRequest, "api" | "json" | "previous_response">,
): Turn[] {
  const { agent, model } = admitted;
  const keeps = apis[request.api].keepsAnswers && memberAt(request.json, "store") !== false;
  const isTied = keeps || request.previous_response !== undefined;
  const others = (isTied ? [] : (model.fallback ?? [])).flatMap((name) => {
    const other = models.get(name);
    return other?.provider === model.provider ? [{ name, model: other }] : [];
  });
  const own: Turn = { admitted, insteadOf: undefined, hasNext: others.length > 0 };
  return [
    own,
    ...others.map(({ name, model: other }, at) => ({
      admitted: { ...admitted, agent: { ...agent, model: ModelName.parse(name) }, model: other },
      insteadOf: agent.model,
      hasNext: at < others.length - 1,
    })),
  ];
}

/** The provider is away or overloaded, and the client has nothing of an answer. */
export function isAwayAnswer({ response, beginsWithError }: UpstreamAnswer): boolean {
  const { status } = response;
  return beginsWithError === true || status === 408 || status === 429 || status >= 500;
}

/** The same of an error of the gateway. What is wrong in sett.yml stays seen. */
export function isAwayError(code: ErrorCode): boolean {
  return code === "provider-unreachable" || code === "call-too-long";
}

export function beganWithError(model: string): ClientError {
  const problem = `The provider of the model \`${model}\` began its stream with an error.`;
  return new ClientError(502, "provider-unreachable", problem, { mayRetry: true });
}
