// The worker prints these answers of the tool contract (docs/reference/tool-contract.md#output).
import { budgetExceededType } from "../../../lib/model/model-call.ts";

export type WorkAnswer =
  | {
      artefact_type: string;
      artefact_payload: unknown;
      summary: string;
      structural_type?: "Question" | "Failure";
    }
  | { structural_type: "Review" | "Question" | "Answer"; payload: unknown; summary: string };

/** `payload`: what is worth keeping beside the sentence, such as the model's words. */
export function failure(type: string, sentence: string, payload: unknown = sentence): WorkAnswer {
  return {
    structural_type: "Failure",
    artefact_type: type,
    artefact_payload: payload,
    summary: sentence,
  };
}

/** `exhausted`: what the gateway says about the budget, as it has sent it. */
export function budgetFailure(
  sentence: string,
  exhausted: Readonly<Record<string, unknown>>,
): WorkAnswer {
  return failure(budgetExceededType, sentence, exhausted);
}

/** The question goes to a person, whose answer raises the budget. */
export function budgetQuestion(
  sentence: string,
  exhausted: Readonly<Record<string, unknown>>,
): WorkAnswer {
  const question = `${sentence} How much more may be spent?`;
  return {
    structural_type: "Question",
    artefact_type: budgetExceededType,
    artefact_payload: { ...exhausted, question },
    summary: sentence,
  };
}
