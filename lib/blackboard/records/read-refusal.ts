// The gateway's refusal that a question about a budget names: only with it may its answer raise the
// budget.
import type { Artefact } from "../../model/artefact.ts";
import { namedRefusal } from "../../model/budget-question.ts";
import { type BudgetRefusal, budgetExceededType } from "../../model/model-call.ts";
import type { ModelBoard } from "../port/models.ts";

/**
 * Undefined for any other artefact, and where the record knows no such refusal of the work that has
 * made this one.
 */
export async function readRefusal(
  board: Pick<ModelBoard, "readSpending">,
  artefact: Artefact,
): Promise<BudgetRefusal | undefined> {
  if (artefact.type !== budgetExceededType) return undefined;
  const { refusals } = await board.readSpending(artefact.goal_id);
  return namedRefusal(artefact, refusals);
}
