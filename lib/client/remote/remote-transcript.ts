// The calls of models that led to an artefact, with their bodies, through the API.
import { z } from "zod";
import type { ArtefactId } from "../../model/ids.ts";
import { CallRecord } from "../../model/model-call.ts";
import type { Body, CallWithBodies } from "../facts/transcript.ts";
import { type ApiAddress, askApi, readAnswer } from "./api-client.ts";

/** The transcript as `sett unearth --transcript --json` prints it. */
const Answer = z.looseObject({
  calls: z.array(z.looseObject({ request_body: z.unknown(), answer_body: z.unknown() })),
});

const Binary = z.strictObject({ base64: z.string() });

export async function readRemoteCalls(
  api: ApiAddress,
  artefact: ArtefactId,
): Promise<CallWithBodies[]> {
  const response = await askApi(api, { path: `/v1/artefacts/${artefact}/transcript` });
  return await readAnswer(response, api.url, (text) =>
    Answer.parse(JSON.parse(text)).calls.map(({ request_body, answer_body, ...call }) => ({
      call: CallRecord.parse(call),
      request: bodyOf(request_body),
      answer: bodyOf(answer_body),
    })),
  );
}

/** A body that is JSON comes as JSON. */
function bodyOf(body: unknown): Body | undefined {
  if (body === null || body === undefined) return undefined;
  const binary = Binary.safeParse(body);
  if (binary.success) return binary.data;
  return { text: typeof body === "string" ? body : JSON.stringify(body) };
}
