// The question of an agent whose budget is spent, and a person's answer, which raises it.
import { z } from "zod";
import type { Artefact } from "./artefact.ts";
import { type AmountKind, type Amounts, amountKinds, amountsSyntax, parseAmounts } from "./budget.ts";
import { budgetExceededType } from "./model-call.ts";

/** What of the payload counts. The figures in it are the agent's words, and decide nothing. */
const BudgetQuestion = z.object({ scope: z.enum(["goal", "grant"]), kind: z.enum(amountKinds), question: z.string().optional() });
export type BudgetQuestion = z.infer<typeof BudgetQuestion>;

export const howToRaise = `${amountsSyntax}, or \`yes\` for once more what the limit was`;

const exampleAmounts: Readonly<Record<AmountKind, string>> = { nanousd: "5usd", tokens: "200ktokens", calls: "50calls" };

/** An amount of the kind that ran out: more of another kind changes nothing. */
export function exampleAmount({ payload }: Pick<Artefact, "payload">): string {
  return exampleAmounts[readBudgetQuestion(payload)?.kind ?? "nanousd"];
}

export function isBudgetQuestion({ structural_type, type }: Pick<Artefact, "structural_type" | "type">): boolean {
  return structural_type === "Question" && type === budgetExceededType;
}

/** Undefined where the payload is not one of ours. */
export function readBudgetQuestion(payload: string): BudgetQuestion | undefined {
  try {
    return BudgetQuestion.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}

/** A question's words for people: of one about a budget they are a member of its payload. */
export function questionText(question: Pick<Artefact, "structural_type" | "type" | "payload">): string {
  const { payload } = question;
  return isBudgetQuestion(question) ? (readBudgetQuestion(payload)?.question ?? payload) : payload;
}

export function isBudgetAnswer(text: string): boolean {
  return isYes(text) || parseAmounts(text) !== undefined;
}

/** How much an answer adds; undefined where it is no amount. `limit`: what sett.yml allows, where it has such a limit. */
export function amountsOfAnswer(text: string, kind: AmountKind, limit: number | undefined): Amounts | undefined {
  if (!isYes(text)) return parseAmounts(text);
  return limit === undefined || limit === 0 ? undefined : { nanousd: 0, tokens: 0, calls: 0, [kind]: limit };
}

function isYes(text: string): boolean {
  return /^yes[.!]?$/i.test(text.trim());
}
