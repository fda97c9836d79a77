// The question of an agent whose budget is spent, and a person's answer, which raises it.
import { z } from "zod";
import { type AmountKind, formatAmount, formatAmounts } from "./amounts.ts";
import type { Artefact } from "./artefact.ts";
import { callPayload, isCallQuestion } from "./asked-call.ts";
import { type Amounts, amountsSyntax, readAmounts } from "./budget.ts";
import { parseJson } from "./json.ts";
import { type BudgetRefusal, budgetExceededType } from "./model-call.ts";
import { payerName } from "./payer-name.ts";

/**
 * `refusal`: the id of the gateway's refusal. Everything else in the payload is the agent's words,
 * and decides nothing.
 */
const BudgetPayload = z.object({ refusal: z.string().optional(), question: z.string().optional() });

/** The sentence is for people. `yes` is named with its amount, where it is one. */
export function howToRaise(refusal: Pick<BudgetRefusal, "kind" | "allowed">): string {
  const add = amountsOfYes(refusal);
  return add === undefined
    ? amountsSyntax
    : `${amountsSyntax}, or \`yes\` for ${formatAmounts(add)}`;
}

const exampleAmounts: Readonly<Record<AmountKind, string>> = {
  nanousd: "5usd",
  tokens: "200ktokens",
  calls: "50calls",
};

/** An amount of the kind that ran out: more of another kind changes nothing. */
export function exampleAmount({ kind }: Pick<BudgetRefusal, "kind">): string {
  return exampleAmounts[kind];
}

type Named = Pick<Artefact, "type" | "payload" | "produced_by_agent" | "claim_id">;

/**
 * The refusal that this Question or Failure names, where it is one of its own work; undefined where
 * the record knows of none.
 */
export function namedRefusal(
  { type, payload, produced_by_agent, claim_id }: Named,
  refusals: readonly BudgetRefusal[],
): BudgetRefusal | undefined {
  if (type !== budgetExceededType) return undefined;
  const { refusal } = readPayload(payload);
  return refusals.find(
    ({ id, agent, claim_id: claim }) =>
      id === refusal && agent === produced_by_agent && claim === claim_id,
  );
}

export function isBudgetQuestion({
  structural_type,
  type,
}: Pick<Artefact, "structural_type" | "type">): boolean {
  return structural_type === "Question" && type === budgetExceededType;
}

/** Says in a sentence what is on record. */
export function refusalSentence({
  scope,
  whose: payer,
  agent,
  kind,
  limit,
  spent,
  reserved,
  needed,
}: BudgetRefusal): string {
  const amount = (value: number) => formatAmount(kind, value);
  const whose = sentenceCase(budgetName({ scope, whose: payer, agent }, "for each of its grants"));
  const underWay = reserved === 0 ? "" : `, ${amount(reserved)} reserved`;
  // An agent chooses how much a call asks for, and may ask for more than the whole budget at once.
  const isUsedUp = spent + reserved >= limit / 2;
  const state = isUsedUp ? "is used up" : "is not used up, but one call asks for more";
  return `${whose} ${state}: of ${amount(limit)}, ${amount(spent)} spent${underWay}; the refused call may need ${amount(needed)}.`;
}

/** Returns what `yes` adds: as much as sett.yml allows. Undefined where that is nothing. */
export function amountsOfYes({
  kind,
  allowed,
}: Pick<BudgetRefusal, "kind" | "allowed">): Amounts | undefined {
  return allowed === 0 ? undefined : { nanousd: 0, tokens: 0, calls: 0, [kind]: allowed };
}

/** `$5.00 to the budget of the goal`. */
export function raiseText(
  add: Amounts,
  { scope, whose, agent }: Pick<BudgetRefusal, "scope" | "whose" | "agent">,
): string {
  const name =
    scope === "grant"
      ? `the budget of ${agent}'s grants in this goal`
      : budgetName({ scope, whose, agent }, "");
  return `${formatAmounts(add)} to ${name}`;
}

function budgetName(
  { scope, whose = "instance", agent }: Pick<BudgetRefusal, "scope" | "whose" | "agent">,
  ofGrant: string,
): string {
  if (scope === "goal") return "the budget of the goal";
  if (scope === "grant") return `the budget of ${agent} ${ofGrant}`;
  return `the budget of ${payerName(whose)} for this ${scope}`;
}

function sentenceCase(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function readPayload(payload: string): z.infer<typeof BudgetPayload> {
  return BudgetPayload.safeParse(parseJson(payload)).data ?? {};
}

/** A question's words for people: of one of Sett's own types they are a member of its payload. */
export function questionText(
  question: Pick<Artefact, "structural_type" | "type" | "payload">,
): string {
  const { payload } = question;
  if (isCallQuestion(question)) return callPayload(payload)?.question ?? payload;
  return isBudgetQuestion(question) ? (readPayload(payload).question ?? payload) : payload;
}

/** How much an answer adds, or what is wrong with it: a clause after `your answer`. */
export function readAnswer(
  text: string,
  refusal: BudgetRefusal,
): { amounts: Amounts } | { problem: string } {
  if (!isYes(text)) return readAmounts(text);
  const amounts = amountsOfYes(refusal);
  return amounts === undefined
    ? { problem: "names no amount, and sett.yml allows none that `yes` could add" }
    : { amounts };
}

/** How much an answer adds; undefined where it is no amount. */
export function amountsOfAnswer(text: string, refusal: BudgetRefusal): Amounts | undefined {
  const read = readAnswer(text, refusal);
  return "amounts" in read ? read.amounts : undefined;
}

function isYes(text: string): boolean {
  return /^yes[.!]?$/i.test(text.trim());
}
