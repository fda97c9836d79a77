// Reads the calls that led to an artefact, with their bodies, and puts the conversations together.

import { readHeads } from "../../../lib/client/facts/artefacts.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { Body, CallWithBodies, Transcript } from "../../../lib/client/facts/transcript.ts";
import { apiOf } from "../../../lib/client/remote/instance.ts";
import { readRemoteCalls } from "../../../lib/client/remote/remote-transcript.ts";
import { callsByArtefact } from "../../../lib/core/call-costs.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { CallRecord } from "../../../lib/model/model-call.ts";
import { conversationsOf } from "../../../lib/models/transcript.ts";
import type { Shell } from "../terminal/shell.ts";
import { readBodies } from "./read-bodies.ts";

/** `instance`: whose gateway has the bodies. Throws `not-ready` where it does not run. */
export async function readTranscript(
  board: ReadingBoard & { instance: InstanceName },
  artefact: Artefact,
  shell: Pick<Shell, "cwd" | "env">,
): Promise<Transcript> {
  const api = apiOf(shell.env);
  if (api !== undefined) return withConversations(await readRemoteCalls(api, artefact.id));
  const { ended } = await board.readCalls(artefact.goal_id);
  if (ended.length === 0) return { calls: [], conversations: [] };
  const made = await readHeads(board, await board.listArtefactsOfGoal(artefact.goal_id));
  const records = callsByArtefact(made, ended).get(artefact.id) ?? [];
  const digests = records.flatMap(({ request, answer }) => [request, answer].flatMap((body) => body?.digest ?? []));
  const bodies = await readBodies(shell, board.instance, digests);
  const bodyOf = (stored: CallRecord["request"]) => (stored === undefined ? undefined : bodies.get(stored.digest));
  const calls = records.map((call) => ({ call, request: bodyOf(call.request), answer: bodyOf(call.answer) }));
  return withConversations(calls);
}

function withConversations(calls: CallWithBodies[]): Transcript {
  const conversations = conversationsOf(
    calls.map(({ call: { api }, request, answer }) => ({ api, request: textOf(request), answer: textOf(answer) })),
  );
  return { calls, conversations };
}

function textOf(body: Body | undefined): string | undefined {
  return body !== undefined && "text" in body ? body.text : undefined;
}
