// Beginnings of tests about calls of language models.
import { createHash, randomUUID } from "node:crypto";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { ModelBoard } from "../../../lib/blackboard/port/models.ts";
import type { Amounts, Budget } from "../../../lib/model/budget.ts";
import type { CallRecord, ModelToken, OpenCall } from "../../../lib/model/model-call.ts";
import type { SpendingLimits } from "../../../lib/model/spending.ts";
import { at, queueGrant, running } from "./scene.ts";

type ReserveOrder = Parameters<ModelBoard["reserveCall"]>[0];

export const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

export const amounts = (over: Partial<Amounts> = {}): Amounts => ({
  nanousd: 0,
  tokens: 0,
  calls: 0,
  ...over,
});

/** A running grant of `coder` whose token may ask the model. */
export async function runModelGrant(board: Blackboard) {
  const scene = await queueGrant(board);
  const digest = digestOf(randomUUID());
  const grant = { ...running("coder"), model_token: digest };
  await board.acceptGrant({ claim: scene.claim.id, grant, leaseMs: 60_000 });
  const token: ModelToken = {
    kind: "grant",
    claim: scene.claim.id,
    agent: scene.agent,
    attempt: 1,
    digest,
  };
  return { ...scene, grant, token };
}

/** Needs 1000 nano-dollars, 100 tokens and a call. */
export function reserveOrder(
  token: ModelToken,
  {
    goal = {},
    grant = {},
    spending,
    ...over
  }: {
    goal?: Budget;
    grant?: Budget;
    spending?: SpendingLimits;
    id?: string;
    leaseMs?: number;
    reserved?: Amounts;
    startedAt?: string;
  } = {},
): ReserveOrder {
  const call = {
    id: over.id ?? randomUUID(),
    model: "strong",
    provider: "anthropic" as const,
    api: "messages" as const,
    asked_model: "some-model",
    is_stream: false,
    reserved: over.reserved ?? { nanousd: 1_000, tokens: 100, calls: 1 },
    started_at: over.startedAt ?? at,
  };
  return { token, call, limits: { goal, grant, spending }, leaseMs: over.leaseMs ?? 60_000 };
}

export async function reserve(board: Blackboard, order: ReserveOrder): Promise<OpenCall> {
  const reply = await board.reserveCall(order);
  if (reply.outcome !== "reserved")
    throw new Error(`The call was not reserved: ${JSON.stringify(reply)}`);
  return reply.call;
}

/** Ended well; it has cost 400 nano-dollars, 40 tokens and a call. */
export function recordOf(call: OpenCall, over: Partial<CallRecord> = {}): CallRecord {
  return {
    ...call,
    outcome: "ok",
    status: 200,
    answered_model: "some-model-1",
    usage: { input: 30, output: 10, cached: 5, cache_write: 0, reasoning: 2 },
    is_estimated: false,
    cost: { nanousd: 400, tokens: 40, calls: 1 },
    is_unpriced: false,
    tries: 1,
    duration_ms: 1_200,
    request: { digest: digestOf("request"), bytes: 7, content_type: "application/json" },
    answer: { digest: digestOf("answer"), bytes: 6, content_type: "application/json" },
    ...over,
  };
}
