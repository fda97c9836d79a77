// Reads through the API what a command has printed.
import { SettError } from "../../model/errors.ts";
import type { ArtefactId } from "../../model/ids.ts";
import type { StreamName } from "../../model/kept-output.ts";
import { type ApiAddress, askApi, readAnswer } from "./api-client.ts";

/** Undefined where it is not kept. */
export async function readRemoteOutput(
  api: ApiAddress,
  artefact: ArtefactId,
  stream: StreamName,
): Promise<Uint8Array | undefined> {
  const response = await askApi(api, { path: `/v1/artefacts/${artefact}/output/${stream}` });
  if (response.ok) return new Uint8Array(await response.arrayBuffer());
  try {
    return await readAnswer(response, api.url, () => undefined);
  } catch (error) {
    if (error instanceof SettError && error.code === "artefact-not-found") return undefined;
    throw error;
  }
}
