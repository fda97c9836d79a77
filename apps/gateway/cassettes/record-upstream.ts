// Asks a provider, and writes each answer that has come to its end into a file.
import { parseJson } from "../../../lib/model/json.ts";
import type { ModelApi } from "../../../lib/model/model-call.ts";
import { apis } from "../../../lib/models/apis.ts";
import { EventSplitter } from "../../../lib/models/server-sent-events.ts";
import { isLastEvent } from "../../../lib/models/stream-meter.ts";
import type { Upstream, UpstreamRequest } from "../upstream.ts";
import type { CassetteWriter } from "./cassette-writer.ts";

/**
 * An exchange that was broken off, or is about the key alone, is not recorded. The file is there
 * before the client sees the end of its answer, so that a test may stop everything then.
 */
export function createRecordUpstream(
  upstream: Upstream,
  writer: Pick<CassetteWriter, "write">,
): Upstream {
  return async (request) => {
    const answer = await upstream(request);
    const { response } = answer;
    const { status, headers } = response;
    if (status === 401 || status === 403 || response.body === null) return answer;
    const keep = async (pieces: readonly Uint8Array[]) => {
      const body = new Uint8Array(
        await new Blob(pieces.map((piece) => piece.slice())).arrayBuffer(),
      );
      await writer.write(questionOf(request), {
        status,
        contentType: headers.get("content-type") ?? "",
        body,
      });
    };
    const isWhole = (pieces: readonly Uint8Array[]) => hasLastEvent(request.api, pieces);
    const body = copied(response.body, keep, isWhole);
    return { ...answer, response: new Response(body, { status, headers }) };
  };
}

function questionOf({ agent, provider, api, body }: UpstreamRequest) {
  return { agent, provider, api, request: parseJson(body) };
}

/**
 * `keep` is called once, at the end of the stream; also where the reader has the last event, and
 * reads no further.
 */
function copied(
  source: ReadableStream<Uint8Array>,
  keep: (pieces: Uint8Array[]) => Promise<void>,
  isWhole: (pieces: Uint8Array[]) => boolean,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const pieces: Uint8Array[] = [];
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (value !== undefined) {
        pieces.push(value);
        controller.enqueue(value);
      }
      if (!done) return;
      await keep(pieces);
      controller.close();
    },
    async cancel(reason) {
      if (isWhole(pieces)) await keep(pieces);
      await reader.cancel(reason);
    },
  });
}

function hasLastEvent(api: ModelApi, pieces: readonly Uint8Array[]): boolean {
  if (api === "other") return false;
  const events = new EventSplitter();
  const all = pieces.flatMap((piece) => events.push(new Uint8Array(piece)));
  return !events.hasRest && all.some(({ data }) => isLastEvent(apis[api], data));
}
