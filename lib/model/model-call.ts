// A call of a language model: who may make it, and the record of it.
import { z } from "zod";
import { amountKinds } from "./amounts.ts";
import { Amounts } from "./budget.ts";
import { Provider } from "./config-models.ts";
import { AgentName, ArtefactId, ClaimId, GoalId } from "./ids.ts";
import { Payer, Period } from "./spending.ts";

/** `grant`: work. `bid`: the decision about a bid. */
const TokenKind = z.enum(["grant", "bid"]);

/**
 * The token says who calls. Its text is `sett_grant.CLAIM.AGENT.ATTEMPT.SECRET` or
 * `sett_bid.CLAIM.AGENT.0.SECRET`; the secret is 32 random bytes in base64url. The blackboard has
 * only the SHA-256 of the whole text, in hexadecimal: `model_token` of the running grant, or the
 * claim's hash `bid_tokens`. A token is good for as long as its grant runs in this attempt, or its
 * bid is missing.
 */
export type ModelToken = {
  kind: z.infer<typeof TokenKind>;
  claim: ClaimId;
  agent: AgentName;
  attempt: number;
  digest: string;
};

/** The APIs that cost tokens, each a file in lib/models/apis. */
export const CostlyApi = z.enum(["messages", "chat", "responses"]);
export type CostlyApi = z.infer<typeof CostlyApi>;

/** The API of a provider that was called. `other`: nothing that costs tokens. */
export const ModelApi = z.enum([...CostlyApi.options, "other"]);
export type ModelApi = z.infer<typeof ModelApi>;

/**
 * Tokens of one call. `input` includes `cached` and `cache_write`; `output` includes `reasoning`.
 */
export const Usage = z.strictObject({
  input: z.int().min(0),
  output: z.int().min(0),
  cached: z.int().min(0),
  cache_write: z.int().min(0),
  reasoning: z.int().min(0),
});
export type Usage = z.infer<typeof Usage>;

/**
 * `ok`: the provider has answered. `refused`: it has refused (401, 404 …), which no repetition
 * changes. `failed`: no answer in time, a broken stream, an overloaded provider. `cancelled`: the
 * client or the grant has ended. `lost`: the gateway died during the call, which costs what the
 * gateway had reckoned last.
 */
export const CallOutcome = z.enum(["ok", "refused", "failed", "cancelled", "lost"]);
export type CallOutcome = z.infer<typeof CallOutcome>;

/**
 * SHA-256 in hexadecimal, and the size before compression. `content_type` as the provider sent it.
 */
export const StoredBody = z.strictObject({
  digest: z.string(),
  bytes: z.int(),
  content_type: z.string(),
});
export type StoredBody = z.infer<typeof StoredBody>;

/**
 * A call under way is reckoned to have used and cost this so far. `tries`: how often the provider
 * was asked.
 */
export const SoFar = z.strictObject({
  usage: Usage,
  cost: Amounts,
  is_unpriced: z.boolean(),
  tries: z.int(),
});
export type SoFar = z.infer<typeof SoFar>;

const BegunCall = z.strictObject({
  id: z.uuid(),
  goal_id: GoalId,
  claim_id: ClaimId,
  /** The artefact that the claim is about. */
  artefact_id: ArtefactId,
  agent: AgentName,
  kind: TokenKind,
  /** 0 for a bid. */
  attempt: z.int().min(0),
  /** The name in sett.yml. */
  model: z.string(),
  provider: Provider,
  api: ModelApi,
  /** The agent's model, by its name in sett.yml, where `model` is one of its `fallback`. */
  instead_of: z.string().optional(),
  /** The model that the client asked for. */
  asked_model: z.string(),
  is_stream: z.boolean(),
  reserved: Amounts,
  started_at: z.iso.datetime(),
});

/** A call that is under way: it has a reservation. */
export const OpenCall = BegunCall.extend({
  /** Renewed with the reservation, for the case that the gateway dies. */
  so_far: SoFar.optional(),
});
export type OpenCall = z.infer<typeof OpenCall>;

/** A call that has ended. */
export const CallRecord = BegunCall.extend({
  outcome: CallOutcome,
  /** The HTTP status that the client got; 0 when it got none. */
  status: z.int(),
  /** Why it did not end well, in a sentence; never with a key. */
  problem: z.string().optional(),
  /** The model that has answered, as the provider names it; empty when none did. */
  answered_model: z.string(),
  usage: Usage,
  /**
   * The provider did not report the usage, or reported what cannot be: it is reckoned from what was
   * sent and what came.
   */
  is_estimated: z.boolean(),
  cost: Amounts,
  /** The price of the model is not known: `cost.nanousd` is 0. */
  is_unpriced: z.boolean(),
  /** How often the provider was asked. */
  tries: z.int(),
  duration_ms: z.int(),
  first_byte_ms: z.int().optional(),
  request: StoredBody.optional(),
  answer: StoredBody.optional(),
});
export type CallRecord = z.infer<typeof CallRecord>;

/**
 * The budget that does not allow a call: `grant` is one agent's work on one claim, its bid and all
 * its attempts together; `day` and `month` count the calls of many goals.
 */
export const BudgetScope = z.enum(["goal", "grant", ...Period.options]);
export type BudgetScope = z.infer<typeof BudgetScope>;

const whole = z.int().min(0);

/**
 * Why a call was not allowed: with what is spent and reserved, `needed` more would exceed `limit`.
 * `allowed`: the limit in sett.yml, to which `limit` adds what people have added.
 */
export const Exhausted = z.strictObject({
  scope: BudgetScope,
  /** With `day` and `month`: the one whose budget it is. */
  whose: Payer.optional(),
  kind: z.enum(amountKinds),
  allowed: whole,
  limit: whole,
  spent: whole,
  reserved: whole,
  needed: whole,
});
export type Exhausted = z.infer<typeof Exhausted>;

/**
 * The last refusal of an attempt for want of budget, as the record has it. `id`: of the call.
 * `attempt`: 0 for a bid.
 */
export const BudgetRefusal = Exhausted.extend({
  id: z.uuid(),
  claim_id: ClaimId,
  agent: AgentName,
  attempt: whole,
});
export type BudgetRefusal = z.infer<typeof BudgetRefusal>;

/**
 * The type of the Failure, or with `on_budget: ask` of the Question, of an agent whose budget is
 * spent.
 */
export const budgetExceededType = "BudgetExceeded";
