// Answers calls from recorded exchanges, in place of a provider.
import { parseJson } from "../../../lib/model/json.ts";
import { answerPieces } from "../../../lib/models/cassette/exchange.ts";
import type { Recordings } from "../../../lib/models/cassette/recordings.ts";
import { type Upstream, UpstreamFailure } from "../upstream.ts";

/** Rejects with `exchange-not-recorded`, and a sentence that shows the nearest exchange. */
export function createReplayUpstream(recordings: Recordings): Upstream {
  return async ({ agent, provider, api, body, work, signal }) => {
    signal.throwIfAborted();
    const found = recordings.find({ agent, provider, api, request: parseJson(body) }, work);
    if ("problem" in found)
      throw new UpstreamFailure("exchange-not-recorded", found.problem, { status: 404, tries: 0 });
    const { answer } = found.exchange;
    const pieces = answerPieces(answer).values();
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const { done, value } = pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    });
    const headers = answer.content_type === "" ? {} : { "content-type": answer.content_type };
    return { response: new Response(stream, { status: answer.status, headers }), tries: 1 };
  };
}
