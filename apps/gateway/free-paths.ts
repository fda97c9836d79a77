// Paths that cost no tokens: the list of models, which the gateway answers itself, and the counting
// of tokens, which it passes on.
import type { Provider } from "../../lib/model/config-models.ts";
import type { CostlyApi } from "../../lib/model/model-call.ts";
import { apis } from "../../lib/models/apis.ts";
import { providers } from "../../lib/models/providers.ts";
import { bodyForProvider, readRequest } from "../../lib/models/request.ts";
import { admit } from "./admit.ts";
import { ClientError } from "./client-error.ts";
import type { Deps } from "./deps.ts";
import { answerErrors, bodyOf, type CallState, stopWith, workOf } from "./handle-call.ts";
import { headersForClient, headersForProvider } from "./headers.ts";
import { noProgress } from "./upstream.ts";

/** `one`: the client asks for one model, whatever its name. */
export async function listModels(
  deps: Deps,
  request: Request,
  format: Provider,
  { one }: { one: boolean },
): Promise<Response> {
  return await answerErrors(deps, format, async () => {
    const { model } = await admit(deps, request.headers, format);
    const { modelEntry, modelList } = providers[format];
    const entry = modelEntry(model.model, "2026-01-01T00:00:00Z");
    return Response.json(one ? entry : modelList(entry));
  });
}

/** The provider takes no money for it. `api`: one with a `countPath`. */
export async function countTokens(
  deps: Deps,
  { held }: Pick<CallState, "held">,
  request: Request,
  api: CostlyApi,
): Promise<Response> {
  const { provider: format, countPath = "" } = apis[api];
  const stop = stopWith(request.signal);
  return await answerErrors(deps, format, async () => {
    const { token, agent, model } = await admit(deps, request.headers, format);
    const body = await bodyOf(deps, held, { agent: token.agent, request });
    const timer = setTimeout(() => stop.abort(slow(agent.model)), maxCountMs);
    try {
      const read = readRequest(api, body.bytes);
      if ("problem" in read) throw new ClientError(400, "request-refused", read.problem);
      const { response } = await deps.upstream({
        agent: token.agent,
        work: workOf(token),
        model: agent.model,
        provider: model.provider,
        api: "other",
        path: `${countPath}${new URL(request.url).search}`,
        headers: headersForProvider(request.headers),
        body: bodyForProvider(read.request, model.model).text,
        signal: stop.signal,
        deadlineMs: deps.clock.passedMs() + maxCountMs,
        progress: noProgress(),
      });
      if (response.status === 401 || response.status === 403) {
        throw new ClientError(
          response.status,
          "key-refused",
          `The provider refused the key of the model \`${agent.model}\` (${response.status}).`,
        );
      }
      return new Response(response.body, {
        status: response.status,
        headers: headersForClient(response.headers),
      });
    } finally {
      clearTimeout(timer);
      body.release();
    }
  });
}

const maxCountMs = 30_000;

const listed = new Intl.ListFormat("en-GB");

/** `path` as the client asked for it. */
export function pathUnknown(format: Provider, path: string): ClientError {
  const own = Object.values(apis).filter(({ provider }) => provider === format);
  const paths = [...own.flatMap(({ path, countPath = [] }) => [path, countPath].flat()), "/models"];
  const known = paths.map((one) => `\`${providers[format].roots[0]}${one}\``);
  return new ClientError(
    404,
    "path-unknown",
    `The gateway does not pass \`${path.slice(0, 200)}\` on: only ${listed.format(known)}.`,
  );
}

function slow(model: string): ClientError {
  return new ClientError(
    504,
    "call-too-long",
    `The provider of the model \`${model}\` did not count the tokens within 30 s.`,
  );
}
