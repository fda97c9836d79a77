// Budgets of a day and of a month: whose they are, and what is spent of them.
import { z } from "zod";
import { amountKinds } from "./amounts.ts";
import { type Amounts, Budget } from "./budget.ts";
import { smallLetters } from "./small-letters.ts";

/** By UTC, and the gateway's clock. */
export const Period = z.enum(["day", "month"]);
export type Period = z.infer<typeof Period>;

/** One day or month: `day:2026-11-26`, `month:2026-11`. */
export const PeriodId = z
  .string()
  .regex(/^(?:day:\d{4}-\d{2}-\d{2}|month:\d{4}-\d{2})$/)
  .brand<"PeriodId">();
export type PeriodId = z.infer<typeof PeriodId>;

/**
 * Whose budget it is: `instance` counts all calls; `person:ada@example.org` (the address of the
 * one who has stated the goal, in small letters, or the name where there is no address) and
 * `trigger:nightly` count those of their goals.
 */
export const Payer = z
  .string()
  .max(400)
  .regex(/^(?:instance|person:.+|trigger:.+)$/);
export type Payer = z.infer<typeof Payer>;

/**
 * The payer of a goal that this actor of the log has stated, as Redis finds it
 * (lua/prelude-artefact.lua); undefined for one that was written by hand.
 */
export function payerOfActor(actor: string): Payer | undefined {
  if (actor.startsWith("trigger:")) return Payer.safeParse(actor).data;
  const [, name] = /^person:(.+)$/s.exec(actor) ?? [];
  if (name === undefined) return undefined;
  const [, address] = /<([^<>]+)>\s*$/.exec(name) ?? [];
  const [, asked] = /^(.*?), by [^<>]*$/s.exec(name) ?? [];
  return Payer.safeParse(`person:${smallLetters(address ?? (asked || name))}`).data;
}

/** The limits of a day and of a month; a period that is missing has none. */
export const PeriodLimits = z.strictObject({ day: Budget.optional(), month: Budget.optional() });
export type PeriodLimits = z.infer<typeof PeriodLimits>;

/** As the gateway gets them. `people`: by address; `*` is for each one who has no entry. */
export const SpendingLimits = z.strictObject({
  instance: PeriodLimits,
  people: z.record(z.string(), PeriodLimits),
  /** `goal`: in place of the budget of a goal, for those of this trigger. */
  triggers: z.record(z.string(), PeriodLimits.extend({ goal: Budget.optional() })),
});
export type SpendingLimits = z.infer<typeof SpendingLimits>;

/** No new work begins for this payer until the period is over, or a person raises its limit. */
export const Hold = z.strictObject({
  whose: Payer,
  period: PeriodId,
  kind: z.enum(amountKinds),
  limit: z.int(),
  spent: z.int(),
});
export type Hold = z.infer<typeof Hold>;

/** The sums of one payer in one day or month. */
export type PeriodSpending = {
  period: PeriodId;
  whose: Payer;
  spent: Amounts;
  reserved: Amounts;
  added: Amounts;
};

const lengthOf: Readonly<Record<Period, number>> = { day: 10, month: 7 };

/** `at` is ISO 8601. */
export function periodAt(period: Period, at: string): PeriodId {
  return PeriodId.parse(`${period}:${at.slice(0, lengthOf[period])}`);
}

export function periodOf(id: PeriodId): Period {
  return id.startsWith("day:") ? "day" : "month";
}

/** The limits of a payer; without any where sett.yml names none. */
export function limitsOfPayer(
  limits: SpendingLimits,
  payer: Payer,
): PeriodLimits & { goal?: Budget | undefined } {
  if (payer === "instance") return limits.instance;
  const name = payer.slice(payer.indexOf(":") + 1);
  if (payer.startsWith("trigger:")) return ownOf(limits.triggers, name) ?? {};
  return ownOf(limits.people, name) ?? limits.people["*"] ?? {};
}

/** A person may be called `constructor`. */
function ownOf<Value>(all: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

/** True where any day or month, or the goals of any trigger, has a limit. */
export function hasLimits({ instance, people, triggers }: SpendingLimits): boolean {
  return [instance, ...Object.values(people), ...Object.values(triggers)].some(
    (limits) => Object.keys(limits).length > 0,
  );
}

export const noSpendingLimits: SpendingLimits = { instance: {}, people: {}, triggers: {} };
