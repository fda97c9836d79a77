// The calls that led to an artefact, with their bodies, and the conversations that they make.
import type { CallRecord } from "../../model/model-call.ts";
import type { Conversation } from "../../models/transcript.ts";

/** `text`: valid UTF-8. */
export type Body = { text: string } | { base64: string };

/** Undefined: not kept. */
export type CallWithBodies = { call: CallRecord; request: Body | undefined; answer: Body | undefined };

export type Transcript = { calls: CallWithBodies[]; conversations: Conversation[] };
