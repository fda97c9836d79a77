// Calls of language models: who may make them, what they may cost, and their record. A part of the
// port.
import { z } from "zod";
import { type Amounts, Budget } from "../../model/budget.ts";
import type { Actor } from "../../model/event.ts";
import type { AgentName, ClaimId, GoalId } from "../../model/ids.ts";
import type {
  BudgetRefusal,
  CallRecord,
  Exhausted,
  ModelToken,
  OpenCall,
} from "../../model/model-call.ts";
import {
  type Hold,
  type Payer,
  type PeriodId,
  type PeriodSpending,
  SpendingLimits,
} from "../../model/spending.ts";
import type { ToolCharge } from "../../model/tool-charge.ts";
import type { ReadOn } from "./artefacts.ts";
import type { Refused } from "./refused.ts";

/** The caller behind a token. */
export type Caller = Pick<
  OpenCall,
  "goal_id" | "claim_id" | "artefact_id" | "agent" | "kind" | "attempt"
>;

/**
 * `isEnded`: the token was good, or could have been, for what has ended since; otherwise nothing is
 * known by it.
 */
export type TokenRefused = Refused & { isEnded: boolean };

/** The cost of one goal's calls so far. `reserved`: for calls under way. */
export type GoalSpending = {
  spent: Amounts;
  reserved: Amounts;
  /** The additions of people to the goal's limits. */
  added: Amounts;
  /** The one who has stated the goal; undefined for one that was written by hand. */
  payer: Payer | undefined;
  /** The additions of people to the limits of each agent's grants in this goal. */
  addedOfAgents: Map<AgentName, Amounts>;
  /** The last one of each attempt, in no order that means anything. */
  refusals: BudgetRefusal[];
};

/** The rules that the running gateway enforces, for people to see; no keys. */
export const GatewayNotice = z.object({
  started_at: z.string(),
  goal_budget: Budget,
  spending_limits: SpendingLimits.optional(),
  agents: z.record(z.string(), z.object({ model: z.string(), budget: Budget })),
  models: z.record(
    z.string(),
    z.object({
      provider: z.string(),
      model: z.string(),
      is_priced: z.boolean(),
      has_key: z.boolean(),
    }),
  ),
  /** Calls are written into files, or answered from files without a provider. */
  cassettes: z.enum(["record", "replay"]).optional(),
});
export type GatewayNotice = z.infer<typeof GatewayNotice>;

type Limits = { goal: Budget; grant: Budget; spending?: SpendingLimits | undefined };

export interface ModelBoard {
  /**
   * The agent may ask its model how to bid, with the token of this digest. Refused: the bidding is
   * closed, the agent's bid is not missing, or the goal was ended. A later token replaces an
   * earlier one.
   */
  allowBidCalls(order: {
    claim: ClaimId;
    agent: AgentName;
    digest: string;
    readOn?: ReadOn;
  }): Promise<{ outcome: "allowed" } | Refused>;
  /** Refused: the token is not, or no longer, good. */
  findCaller(token: ModelToken): Promise<{ outcome: "found"; caller: Caller } | TokenRefused>;
  /**
   * Checks the token and reserves `call.reserved` against the limits of the goal, of the grant, and
   * of the day and the month (with what people have added), in one step: what is spent and reserved
   * never exceeds a limit. A refusal because of what is spent in a day or a month holds new work of
   * the payer (event `budget_reached`); at four fifths of such a limit there is, once, the event
   * `budget_nearly_reached`. `limits`: as the configuration has them. The reservation lapses
   * `leaseMs` after its last renewal. A repeat with the same id is `reserved` again. The ids of
   * claim, goal and artefact are those of the token's caller. `exhausted` is kept as the attempt's
   * last refusal, with the call's id; not where the same call is reserved later.
   */
  reserveCall(order: {
    token: ModelToken;
    call: Omit<OpenCall, keyof Caller>;
    limits: Limits;
    leaseMs: number;
  }): Promise<
    { outcome: "reserved"; call: OpenCall } | ({ outcome: "exhausted" } & Exhausted) | TokenRefused
  >;
  /**
   * Charges a call of a tool before it is made, against the same limits as a call of a model. It is
   * refused without a question to people: the agent may do without the tool. A repeat with the same
   * id is `charged` again.
   */
  chargeTool(order: {
    goal: GoalId;
    token: ModelToken;
    charge: Pick<ToolCharge, "server" | "nanousd" | "started_at"> & { id: string };
    limits: Limits;
  }): Promise<{ outcome: "charged" } | ({ outcome: "exhausted" } & Exhausted) | TokenRefused>;
  /** In no order that means anything. */
  readToolCharges(goal: GoalId): Promise<ToolCharge[]>;
  /**
   * Renews reservations; one that is not on the blackboard (Redis has lost its last writes) is made
   * again, without a check. Returns the ids of calls whose grant has ended, or whose bid is placed:
   * the caller must end them.
   */
  renewCalls(order: { calls: readonly OpenCall[]; leaseMs: number }): Promise<{ ended: string[] }>;
  /**
   * The call is over: its true cost replaces its reservation, and the record is stored, with the
   * event `model_called`. `known`: this call has ended before; nothing is counted twice. It is
   * counted also where its reservation has lapsed.
   */
  endCall(record: CallRecord): Promise<{ outcome: "ended" | "known" }>;
  /**
   * Gives back reservations that have lapsed (with `all`: every one, for a gateway that starts,
   * since only one runs). Each ends with the outcome `lost`. Returns how many.
   */
  giveBackCalls(order: { all: boolean }): Promise<number>;
  /**
   * Raises the goal's limits, or those of one agent's grants in the goal (event `budget_raised`).
   * `cause`: a unique id; a repeat is `already`. Refused: there is no such goal, or it was ended.
   */
  raiseBudget(order: {
    goal: GoalId;
    agent?: AgentName;
    add: Amounts;
    actor: Actor;
    cause: string;
  }): Promise<{ outcome: "raised" | "already" } | Refused>;
  /**
   * Raises a payer's limits of one day or month, whose new work begins again (event
   * `budget_raised`, without a goal). `cause`: a unique id; a repeat is `already`.
   */
  raisePeriod(order: {
    period: PeriodId;
    whose: Payer;
    add: Amounts;
    actor: Actor;
    cause: string;
  }): Promise<{ outcome: "raised" | "already" }>;
  /** The payers whose new work does not begin. */
  readHolds(): Promise<Hold[]>;
  /** Whether no new work of the goal begins: because of a budget, or since it is paused itself. */
  isHeld(goal: GoalId): Promise<boolean>;
  /**
   * Lets the work begin whose day or month is over (event `budget_freed`); with `all`, for a
   * gateway whose limits may be others, every work. `now` is ISO 8601. Returns for how many payers.
   */
  freeHolds(order: { all: boolean; now: string }): Promise<number>;
  /** The agents look at their queued grants again: what held their work is over. */
  wakeAgents(epoch: number): Promise<{ outcome: "woken" | "fenced" }>;
  /** The sums of all payers in these days and months. */
  readPeriods(periods: readonly PeriodId[]): Promise<PeriodSpending[]>;
  readSpending(goal: GoalId): Promise<GoalSpending>;
  /** Calls of the goal, oldest first: ended ones, and those under way. */
  readCalls(goal: GoalId): Promise<{ ended: CallRecord[]; open: OpenCall[] }>;
  announceGateway(notice: GatewayNotice): Promise<void>;
  /** Undefined where no gateway has ever started. */
  readGateway(): Promise<GatewayNotice | undefined>;
}
