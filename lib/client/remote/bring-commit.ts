// Brings the commit at which a goal begins to an instance elsewhere, through its API: only what the
// instance lacks, as a pack.
import { Buffer } from "node:buffer";
import { z } from "zod";
import type { HostRepository } from "../../git/repository/host-repository.ts";
import { SettError } from "../../model/errors.ts";
import { CommitHash } from "../../model/ids.ts";
import { type ApiAddress, askApi, longPatienceMs, readAnswer } from "./api-client.ts";

const path = "/v1/board/commits";
/** More is refused there: see `apps/api/routes/commits.ts`. */
const maxBytes = 256 * 1024 * 1024;
/** The time in which a slow line takes that much. */
const sendingMs = 30 * 60_000;

const Known = z.strictObject({ known: z.array(CommitHash) });

/** Throws as `askApi`, git-failed, and `too-large`. */
export async function bringCommit(
  api: ApiAddress,
  repository: HostRepository,
  commit: CommitHash,
): Promise<void> {
  const landmarks = await repository.landmarks(commit);
  const answer = await askApi(api, {
    path: `${path}?of=${landmarks.join(",")}`,
    patienceMs: longPatienceMs,
  });
  const { known } = await readAnswer(answer, api.url, (text) => Known.parse(JSON.parse(text)));
  if (known.includes(commit)) return;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  await repository.packBeyond(commit, known, (piece) => {
    bytes += piece.length;
    if (bytes <= maxBytes) pieces.push(piece);
  });
  if (bytes > maxBytes)
    throw new SettError("too-large", `The API takes no ${Math.ceil(bytes / 1024 ** 2)} MiB.`, {
      hint: "Push the branch to where the instance is, and fetch it there.",
    });
  await askApi(api, {
    method: "POST",
    path: `${path}/${commit}`,
    body: new Uint8Array(Buffer.concat(pieces)),
    isStream: true,
    patienceMs: sendingMs,
  });
}
