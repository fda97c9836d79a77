// Calls of language models in Redis: their tokens, reservations and records.
import { type AmountKind, noAmounts } from "../../model/amounts.ts";
import type { Amounts, Budget } from "../../model/budget.ts";
import { AgentName, ArtefactId, GoalId } from "../../model/ids.ts";
import { parseJson } from "../../model/json.ts";
import {
  BudgetRefusal,
  type BudgetScope,
  CallRecord,
  type Exhausted,
  type ModelToken,
  OpenCall,
} from "../../model/model-call.ts";
import { Payer } from "../../model/spending.ts";
import { ToolCharge } from "../../model/tool-charge.ts";
import {
  GatewayNotice,
  type GoalSpending,
  type ModelBoard,
  type TokenRefused,
} from "../port/models.ts";
import { budgetEvent } from "../records/budget-event.ts";
import { callEvent } from "../records/call-event.ts";
import { byStart } from "../records/call-order.ts";
import { lostCall } from "../records/lost-call.ts";
import type { ArgumentOf } from "./call.ts";
import type { Deps } from "./deps.ts";
import { amountsIn, periodsOf } from "./periods.ts";
import { eventRecord } from "./records.ts";
import { orMalformed, unlessWrongType } from "./wrong-type.ts";

/** Small, because Redis runs nothing else while a function runs. */
const callsAtOnce = 100;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the members of one port, each of them short.
export function modelsOf({ connection, keys, call, callOn, onUnreadable }: Deps): ModelBoard {
  const end = (record: CallRecord, only: "" | "open" | "lapsed") => {
    const { goal_id: goal, claim_id: claim, agent, id, cost } = record;
    const stored = { open_calls: keys.openModelCalls, calls: keys.modelCalls(goal) };
    const event = eventRecord(callEvent(record), "gateway");
    return call("endCall", stored, {
      goal,
      claim,
      agent,
      id,
      started_at: record.started_at,
      record: JSON.stringify(record),
      cost,
      event,
      only,
    });
  };
  const now = async () => {
    const [seconds, microseconds] = await connection.run((client) => client.time());
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  };
  const valuesOf = async (key: string) =>
    orMalformed(
      key,
      await connection.run((client) => client.hVals(key).catch(unlessWrongType(undefined))),
    );
  /** Undefined, and reported, where it cannot be read. */
  const readOne = (text: string, at: string): CallRecord | OpenCall | undefined => {
    const record = parseCall(text);
    if (record === undefined) onUnreadable(`a call of a language model at ${at}`);
    return record;
  };
  return {
    allowBidCalls({ claim, agent, digest, readOn }) {
      return callOn(readOn)(
        "allowBidCalls",
        { bid_tokens: keys.bidTokens(claim) },
        { claim, agent, digest },
      );
    },

    async findCaller(token) {
      const reply = await call("findCaller", {}, { token });
      if (reply.outcome === "refused") return refusedOf(reply);
      return { outcome: "found", caller: callerOf(token, reply) };
    },

    async reserveCall({ token, call: wanted, limits, leaseMs }) {
      const reply = await call(
        "reserveCall",
        { open_calls: keys.openModelCalls },
        {
          token,
          id: wanted.id,
          started_at: wanted.started_at,
          json: JSON.stringify(wanted),
          needed: wanted.reserved,
          ...limitsIn(limits),
          lease_ms: leaseMs,
        },
      );
      if (reply.outcome === "refused") return refusedOf(reply);
      if (reply.outcome === "reserved")
        return { outcome: "reserved", call: OpenCall.parse(JSON.parse(reply.call)) };
      return exhaustedOf(reply);
    },

    async chargeTool({ goal, token, charge: { id, server, nanousd, started_at }, limits }) {
      const needed = { ...noAmounts, nanousd };
      const reply = await call(
        "chargeTool",
        { tool_charges: keys.toolCharges(goal) },
        { token, id, started_at, server, needed, ...limitsIn(limits) },
      );
      if (reply.outcome === "refused") return refusedOf(reply);
      return reply.outcome === "charged" ? reply : exhaustedOf(reply);
    },

    async readToolCharges(goal) {
      const key = keys.toolCharges(goal);
      const texts = await valuesOf(key);
      return texts.flatMap((text) => {
        const read = parsed(text, ToolCharge);
        if (read === undefined) onUnreadable(`a call of a tool at ${key}`);
        return read ?? [];
      });
    },

    async renewCalls({ calls, leaseMs }) {
      const ended: string[] = [];
      for (let from = 0; from < calls.length; from += callsAtOnce) {
        const page = calls.slice(from, from + callsAtOnce).map(callRecord);
        ended.push(
          ...(await call(
            "renewCalls",
            { open_calls: keys.openModelCalls },
            { calls: page, lease_ms: leaseMs },
          )),
        );
      }
      return { ended };
    },

    endCall: (record) => end(record, ""),

    async giveBackCalls({ all }) {
      const nowMs = await now();
      const members = await connection.run((client) =>
        client.zRangeByScore(keys.openModelCalls, "-inf", all ? "+inf" : nowMs),
      );
      let count = 0;
      for (const member of members) {
        const [goal = "", id = ""] = member.split(":");
        const key = keys.modelCalls(goal as GoalId);
        const text = await connection.run((client) => client.hGet(key, id));
        const stored = text === null ? undefined : readOne(text, key);
        if (stored === undefined || "outcome" in stored) {
          await connection.run((client) => client.zRem(keys.openModelCalls, member));
          continue;
        }
        const { outcome } = await end(
          lostCall(stored, nowMs, { wasMade: all }),
          all ? "open" : "lapsed",
        );
        if (outcome === "ended") count += 1;
      }
      return count;
    },

    raiseBudget({ goal, agent, add, actor, cause }) {
      const event = eventRecord(budgetEvent({ goal, agent, add, cause }), actor);
      return call(
        "raiseBudget",
        { goal_budget: keys.goalBudget(goal) },
        { goal, agent: agent ?? "", add, cause, event },
      );
    },

    ...periodsOf({ connection, keys, call }),

    async readSpending(goal) {
      const [budget, record] = [keys.goalBudget(goal), keys.goal(goal)];
      const [fields, payer] = await connection.run((client) =>
        Promise.all([
          client.hGetAll(budget).catch(unlessWrongType(undefined)),
          client.hGet(record, "payer").catch(unlessWrongType(undefined)),
        ]),
      );
      return {
        ...spendingOf(orMalformed(budget, fields)),
        payer: Payer.safeParse(orMalformed(record, payer)).data,
      };
    },

    async readCalls(goal) {
      const key = keys.modelCalls(goal);
      const texts = await valuesOf(key);
      const calls = texts.flatMap((text) => readOne(text, key) ?? []).sort(byStart);
      return {
        ended: calls.filter((one): one is CallRecord => "outcome" in one),
        open: calls.filter((one) => !("outcome" in one)),
      };
    },

    async announceGateway(notice) {
      await connection.run((client) => client.set(keys.gateway, JSON.stringify(notice)));
    },

    async readGateway() {
      const text = await connection.run((client) => client.get(keys.gateway));
      return text === null ? undefined : parsed(text, GatewayNotice);
    },
  };
}

function refusedOf({ reason, is_ended }: { reason: string; is_ended: string }): TokenRefused {
  return { outcome: "refused", reason, isEnded: is_ended === "1" };
}

function callerOf(
  { kind, claim, agent, attempt }: ModelToken,
  { goal, artefact }: { goal: string; artefact: string },
) {
  const about = {
    goal_id: GoalId.parse(goal),
    claim_id: claim,
    artefact_id: ArtefactId.parse(artefact),
  };
  return { ...about, agent, kind, attempt };
}

function callRecord(one: OpenCall): ArgumentOf<"model_call"> {
  const { id, goal_id: goal, claim_id: claim, agent, kind, attempt, reserved, started_at } = one;
  return { id, goal, claim, agent, kind, attempt, reserved, started_at, json: JSON.stringify(one) };
}

type ExhaustedReply = Record<"scope" | "whose" | keyof Figures | "kind", string>;
type Figures = Pick<Exhausted, "allowed" | "limit" | "spent" | "reserved" | "needed">;

function exhaustedOf({ scope, whose, kind, ...figures }: ExhaustedReply) {
  const { allowed, limit, spent, reserved, needed } = figures;
  return {
    outcome: "exhausted" as const,
    // The function answers with no other words.
    scope: scope as BudgetScope,
    ...(whose !== "" && { whose }),
    kind: kind as AmountKind,
    allowed: Number(allowed),
    limit: Number(limit),
    spent: Number(spent),
    reserved: Number(reserved),
    needed: Number(needed),
  };
}

function limitsIn({ goal, grant, spending }: Parameters<ModelBoard["chargeTool"]>[0]["limits"]) {
  return {
    goal_limits: limitsOf(goal),
    grant_limits: limitsOf(grant),
    spending_limits: spending && JSON.stringify(spending),
  };
}

function limitsOf({ nanousd, tokens, calls }: Budget): ArgumentOf<"limits"> {
  return { nanousd, tokens, calls };
}

function parseCall(text: string): CallRecord | OpenCall | undefined {
  return parsed(text, CallRecord) ?? parsed(text, OpenCall);
}

function parsed<Shape>(
  text: string,
  schema: { safeParse(value: unknown): { data?: Shape | undefined } },
): Shape | undefined {
  return schema.safeParse(parseJson(text)).data;
}

/**
 * The fields of the goal's hash: `spent_tokens`, `reserved_tokens`, `added_tokens`,
 * `added:coder:tokens`, `refused:CLAIM:coder:1` …
 */
function spendingOf(fields: Readonly<Record<string, string>>): Omit<GoalSpending, "payer"> {
  const amountsOf = (start: string) => amountsIn(fields, start);
  const addedOfAgents = new Map<AgentName, Amounts>();
  const refusals: BudgetRefusal[] = [];
  for (const field of Object.keys(fields)) {
    const [start, name] = field.split(":");
    const refusal = start === "refused" ? parsed(fields[field] ?? "", BudgetRefusal) : undefined;
    if (refusal !== undefined) refusals.push(refusal);
    const agent = start === "added" ? AgentName.safeParse(name).data : undefined;
    if (agent !== undefined)
      addedOfAgents.set(agent, { ...noAmounts, ...amountsOf(`added:${agent}:`) });
  }
  refusals.sort((one, other) => (one.id < other.id ? -1 : 1));
  return {
    spent: amountsOf("spent_"),
    reserved: amountsOf("reserved_"),
    added: amountsOf("added_"),
    addedOfAgents,
    refusals,
  };
}
