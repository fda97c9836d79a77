// Reads the calls that led to an artefact at the command line: the gateway on this machine has
// their bodies.
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import {
  readTranscript as readWithBodies,
  type Transcript,
  withConversations,
} from "../../../lib/client/facts/transcript.ts";
import { apiOf } from "../../../lib/client/remote/instance.ts";
import { readRemoteCalls } from "../../../lib/client/remote/remote-transcript.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Shell } from "../terminal/shell.ts";
import { readBodies } from "./read-bodies.ts";

/** `instance`: whose gateway has the bodies. Throws `not-ready` where it does not run. */
export async function readTranscript(
  board: ReadingBoard & { instance: InstanceName },
  artefact: Artefact,
  shell: Pick<Shell, "cwd" | "env" | "interrupted" | "messages">,
): Promise<Transcript> {
  const api = apiOf(shell.env);
  if (api !== undefined) return withConversations(await readRemoteCalls(api, artefact.id));
  return await readWithBodies(board, artefact, (digests) =>
    readBodies(shell, board.instance, digests),
  );
}
