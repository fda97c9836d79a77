// What costs no tokens: the list of models, which the gateway answers itself, and the counting of
// tokens, which it passes on.
import type { ModelSettings, Provider } from "../../lib/model/config-models.ts";
import { bodyForProvider, readRequest } from "../../lib/models/request.ts";
import { admit } from "./admit.ts";
import { ClientError } from "./client-error.ts";
import type { Deps } from "./deps.ts";
import { answerErrors, bodyOf, type CallState, stopWith, workOf } from "./handle-call.ts";
import { headersForClient, headersForProvider } from "./headers.ts";

/** `one`: the client asks for one model, whatever its name. */
export async function listModels(
  deps: Deps,
  request: Request,
  format: Provider,
  { one }: { one: boolean },
): Promise<Response> {
  return await answerErrors(deps, format, async () => {
    const { model } = await admit(deps, request.headers, format);
    const entry = format === "anthropic" ? anthropicEntry(model) : openAiEntry(model);
    return Response.json(one ? entry : listOf(format, entry));
  });
}

/** `POST …/messages/count_tokens`: Anthropic takes no money for it. */
export async function countTokens(
  deps: Deps,
  { held }: Pick<CallState, "held">,
  request: Request,
): Promise<Response> {
  const stop = stopWith(request.signal);
  return await answerErrors(deps, "anthropic", async () => {
    const { token, agent, model } = await admit(deps, request.headers, "anthropic");
    const body = await bodyOf(deps, held, { agent: token.agent, request });
    const timer = setTimeout(() => stop.abort(slow(agent.model)), maxCountMs);
    try {
      const read = readRequest("messages", body.bytes);
      if ("problem" in read) throw new ClientError(400, "request-refused", read.problem);
      const { response } = await deps.upstream({
        agent: token.agent,
        work: workOf(token),
        model: agent.model,
        provider: model.provider,
        api: "other",
        path: `/messages/count_tokens${new URL(request.url).search}`,
        headers: headersForProvider(request.headers),
        body: bodyForProvider(read.request, model.model).text,
        signal: stop.signal,
        deadlineMs: deps.clock.passedMs() + maxCountMs,
        progress: { tries: 0, isUnderWay: false, bytes: 0 },
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

/** `path` as the client asked for it. */
export function pathUnknown(format: Provider, path: string): ClientError {
  const known =
    format === "anthropic"
      ? "`/v1/messages`, `/v1/messages/count_tokens` and `/v1/models`"
      : "`/v1/chat/completions`, `/v1/responses` and `/v1/models`";
  return new ClientError(
    404,
    "path-unknown",
    `The gateway does not pass \`${path.slice(0, 200)}\` on: only ${known}.`,
  );
}

function slow(model: string): ClientError {
  return new ClientError(
    504,
    "call-too-long",
    `The provider of the model \`${model}\` did not count the tokens within 30 s.`,
  );
}

const created = "2026-01-01T00:00:00Z";

function anthropicEntry({ model }: ModelSettings) {
  return { type: "model", id: model, display_name: model, created_at: created };
}

function openAiEntry({ model }: ModelSettings) {
  return { id: model, object: "model", created: Date.parse(created) / 1_000, owned_by: "sett" };
}

function listOf(format: Provider, entry: { id: string }) {
  if (format === "openai") return { object: "list", data: [entry] };
  return { data: [entry], has_more: false, first_id: entry.id, last_id: entry.id };
}
