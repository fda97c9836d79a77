// Raises the limits of a goal, or those of an agent's grants in it.
import { randomUUID } from "node:crypto";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { GatewayNotice } from "../../blackboard/port/models.ts";
import { nearestWord } from "../../config/nearest-word.ts";
import { type Amounts, amountsSyntax, readAmounts } from "../../model/budget.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import { AgentName, type GoalId } from "../../model/ids.ts";
import { payerName } from "../../model/payer-name.ts";
import { smallLetters } from "../../model/small-letters.ts";
import {
  limitsOfPayer,
  noSpendingLimits,
  Payer,
  type Period,
  type PeriodId,
  periodAt,
} from "../../model/spending.ts";
import { oneLine, shorten } from "../text/plain-text.ts";

/** `cause`: a repeat with the same one changes nothing; undefined makes a new one. */
export type Raise = {
  goal: GoalId;
  add: Amounts;
  agent: string | undefined;
  actor: Actor;
  cause?: string | undefined;
};

/** `option`: what the person has given the text to. Throws `usage`. */
export function amountsToAdd(text: string, option: string): Amounts {
  const read = readAmounts(text);
  if ("amounts" in read) return read.amounts;
  throw new SettError(
    "usage",
    `${option} takes an amount: \`${shorten(oneLine(text), 40)}\` ${read.problem}.`,
    {
      hint: `Write ${amountsSyntax}: more than nothing, and no fraction of a token or call.`,
    },
  );
}

/**
 * Throws `agent-not-found`, and `request-refused` for a goal that was ended, or where no gateway
 * has ever run.
 */
export async function raiseBudget(
  board: PersonBlackboard,
  { goal, add, agent: name, actor, cause = randomUUID() }: Raise,
): Promise<{ agent: AgentName | undefined }> {
  const gateway = await board.readGateway();
  if (gateway === undefined)
    throw new SettError(
      "request-refused",
      "No gateway has run in this sett, so goals cost nothing, and have no limit to raise.",
      {
        hint: "Agents have language models where sett.yml names `models`.",
      },
    );
  const agent = name === undefined ? undefined : await agentOf(board, name, gateway);
  const order = { goal, add, actor, cause };
  const reply = await board.raiseBudget(agent === undefined ? order : { ...order, agent });
  if (reply.outcome !== "refused") return { agent };
  throw new SettError("request-refused", reply.reason, {
    hint: "Only a goal that was not ended can spend more.",
  });
}

/** Registered, or known to the gateway. */
async function agentOf(
  board: PersonBlackboard,
  name: string,
  { agents }: GatewayNotice,
): Promise<AgentName> {
  const names = [
    ...new Set([
      ...(await board.listAgents()).map((agent) => String(agent.name)),
      ...Object.keys(agents),
    ]),
  ];
  const agent = AgentName.safeParse(name).data;
  if (agent !== undefined && names.includes(agent)) return agent;
  const nearest = nearestWord(name, names);
  throw new SettError("agent-not-found", `There is no agent ${shorten(oneLine(name), 60)}.`, {
    hint:
      nearest === undefined
        ? `There are: ${names.join(", ") || "none"}.`
        : `Did you mean \`${nearest}\`?`,
  });
}

/** `of`: a person's address or name, `trigger:NAME`; undefined for the instance. */
export type PeriodRaise = {
  period: Period;
  of: string | undefined;
  add: Amounts;
  actor: Actor;
  cause?: string | undefined;
};

/** This day's or month's limits. Throws `request-refused` where the payer has none. */
export async function raisePeriod(
  board: PersonBlackboard,
  { period, of, add, actor, cause = randomUUID() }: PeriodRaise,
): Promise<{ whose: Payer; period: PeriodId }> {
  const [gateway, nowMs] = await Promise.all([board.readGateway(), board.time()]);
  const limits = gateway?.spending_limits ?? noSpendingLimits;
  const whose = payerOf(of);
  const own = limitsOfPayer(limits, whose)[period];
  if (own === undefined)
    throw new SettError(
      "request-refused",
      `There is no budget of ${payerName(whose)} for a ${period} to raise.`,
      {
        hint: "`limits.budget` in sett.yml, and `budget` of a trigger, have `per_day` and `per_month`.",
      },
    );
  const id = periodAt(period, new Date(nowMs).toISOString());
  await board.raisePeriod({ period: id, whose, add, actor, cause });
  return { whose, period: id };
}

function payerOf(of: string | undefined): Payer {
  if (of === undefined || of === "instance") return "instance";
  if (/^trigger:./.test(of)) return Payer.parse(of);
  return Payer.parse(`person:${smallLetters(of.replace(/^person:(?=.)/, ""))}`);
}
