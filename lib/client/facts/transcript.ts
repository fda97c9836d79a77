// The calls that led to an artefact, with their bodies, and the conversations that they make.
import { callsByArtefact } from "../../core/call-costs.ts";
import type { ArtefactHead } from "../../model/artefact.ts";
import { parseJson } from "../../model/json.ts";
import type { CallRecord } from "../../model/model-call.ts";
import { type Conversation, conversationsOf } from "../../models/transcript.ts";
import { readHeads } from "./artefacts.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** `text`: valid UTF-8. */
export type Body = { text: string } | { base64: string };

/** Undefined: not kept. */
export type CallWithBodies = {
  call: CallRecord;
  request: Body | undefined;
  answer: Body | undefined;
};

export type Transcript = { calls: CallWithBodies[]; conversations: Conversation[] };

/** The kept bodies, by digest. */
export type ReadBodies = (digests: readonly string[]) => Promise<Map<string, Body>>;

export async function readTranscript(
  board: Pick<ReadingBoard, "readCalls" | "readHeads" | "listArtefactsOfGoal">,
  artefact: ArtefactHead,
  readBodies: ReadBodies,
): Promise<Transcript> {
  const { ended } = await board.readCalls(artefact.goal_id);
  if (ended.length === 0) return { calls: [], conversations: [] };
  const records = await callsOf(board, artefact, ended);
  const digests = records.flatMap(({ request, answer }) =>
    [request, answer].flatMap((body) => body?.digest ?? []),
  );
  const bodies = await readBodies(digests);
  const bodyOf = (stored: CallRecord["request"]) =>
    stored === undefined ? undefined : bodies.get(stored.digest);
  const calls = records.map((call) => ({
    call,
    request: bodyOf(call.request),
    answer: bodyOf(call.answer),
  }));
  return withConversations(calls);
}

/**
 * The calls that led to it; of a goal all of its calls, also those about bids, and of work that was
 * cancelled, has failed, or was lost.
 */
async function callsOf(
  board: Pick<ReadingBoard, "readHeads" | "listArtefactsOfGoal">,
  { id, goal_id }: ArtefactHead,
  ended: readonly CallRecord[],
): Promise<readonly CallRecord[]> {
  if (String(id) === String(goal_id)) return ended;
  const made = await readHeads(board, await board.listArtefactsOfGoal(goal_id));
  return callsByArtefact(made, ended).get(id) ?? [];
}

/** Writes the same calls as conversations. */
export function withConversations(calls: CallWithBodies[]): Transcript {
  const conversations = conversationsOf(
    calls.map(({ call: { api }, request, answer }) => ({
      api,
      request: textOf(request),
      answer: textOf(answer),
    })),
  );
  return { calls, conversations };
}

/** The bodies as they were: JSON where they are JSON. */
export function transcriptJson(id: string, { calls }: Pick<Transcript, "calls">) {
  return {
    artefact_id: id,
    calls: calls.map(({ call, request, answer }) => ({
      ...call,
      request_body: rawOf(request),
      answer_body: rawOf(answer),
    })),
  };
}

function rawOf(body: Body | undefined): unknown {
  if (body === undefined) return null;
  return "text" in body ? (parseJson(body.text) ?? body.text) : { base64: body.base64 };
}

function textOf(body: Body | undefined): string | undefined {
  return body !== undefined && "text" in body ? body.text : undefined;
}
