// Brings the commit at which a goal begins to an instance elsewhere, through its API: only what the
// instance lacks, as a pack.
import { Buffer } from "node:buffer";
import { z } from "zod";
import type { HostRepository } from "../../git/repository/host-repository.ts";
import { SettError } from "../../model/errors.ts";
import { CommitHash } from "../../model/ids.ts";
import { sizeText } from "../../model/size-text.ts";
import { type ApiAddress, askApi, longPatienceMs, readAnswer } from "./api-client.ts";

const path = "/v1/board/commits";
/** A push to a forge may have as much. The API refuses more, too. */
export const maxBroughtBytes = 256 * 1024 * 1024;
/** A slow line takes that much meanwhile. */
export const bringingMs = 30 * 60_000;

const Known = z.strictObject({ known: z.array(CommitHash) });

/**
 * Throws as `askApi`, git-failed, `too-large`, and `repository-unusable` where the instance has
 * nothing of the history.
 */
export async function bringCommit(
  api: ApiAddress,
  repository: HostRepository,
  commit: CommitHash,
): Promise<void> {
  const known = await knownOf(api, await repository.landmarks(commit));
  if (known.includes(commit)) return;
  // The whole of another project would go to the agents, and to their models. A root that is known
  // may be so to the repository alone: a pack builds on nothing then.
  if (known.length === 0 && (await knownOf(api, await repository.roots(commit))).length === 0)
    throw noClone(api.url);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  await repository.packBeyond(commit, known, (piece) => {
    bytes += piece.length;
    if (bytes <= maxBroughtBytes) pieces.push(piece);
  });
  if (bytes > maxBroughtBytes)
    throw new SettError("too-large", `The API takes no ${sizeText(bytes)}.`, {
      hint: "Push the branch to where the instance is, and fetch it there.",
    });
  await askApi(api, {
    method: "POST",
    path: `${path}/${commit}`,
    body: new Uint8Array(Buffer.concat(pieces)),
    isStream: true,
    patienceMs: bringingMs,
  });
}

async function knownOf(api: ApiAddress, commits: readonly CommitHash[]): Promise<CommitHash[]> {
  const request = { path: `${path}?of=${commits.join(",")}`, patienceMs: longPatienceMs };
  const answer = await askApi(api, request);
  return (await readAnswer(answer, api.url, (text) => Known.parse(JSON.parse(text)))).known;
}

function noClone(url: string): SettError {
  return new SettError(
    "repository-unusable",
    `The instance at ${url} knows no commit of this repository's history, and nothing was sent.`,
    {
      hint: "Go to a clone of the repository of the instance, or push the branch to where the instance is, and fetch it there.",
    },
  );
}
