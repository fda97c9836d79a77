// A person's answer to an agent whose budget is spent raises the budget, before the agent goes on.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import { readRefusal } from "../../../lib/blackboard/records/read-refusal.ts";
import type { Artefact, ArtefactHead } from "../../../lib/model/artefact.ts";
import { amountsOfAnswer } from "../../../lib/model/budget-question.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { periodAt } from "../../../lib/model/spending.ts";
import type { Deps } from "../leader/deps.ts";

/**
 * Does nothing where the answer is an agent's, or no amount, or where the record knows nothing of
 * the refusal that the question names: the agent goes on, and may find its budget spent. A repeat
 * raises nothing more: the answer is the cause.
 */
export async function raiseByAnswer(
  { board, log }: Pick<Deps, "board" | "log">,
  question: ArtefactHead,
  id: ArtefactId,
): Promise<void> {
  const [answer, asked] = await Promise.all([
    board.readArtefact(id),
    board.readArtefact(question.id),
  ]);
  if (answer === undefined || asked === undefined || answer.produced_by_agent !== "") return;
  const refusal = await readRefusal(board, asked);
  const ids = { goal_id: question.goal_id, artefact_id: id };
  if (refusal === undefined)
    return log.warn(
      "A question names no refusal of the gateway, so its answer raises no budget",
      ids,
    );
  const add = amountsOfAnswer(answer.payload, refusal);
  if (add === undefined)
    return log.info("An answer to a question about a budget is no amount", ids);
  const whose = refusal.scope === "grant" ? { agent: refusal.agent } : {};
  const actor = await actorOf(board, answer);
  const { scope } = refusal;
  if (scope === "day" || scope === "month") {
    // By the time of the answer: more for a day that is over would change nothing.
    const period = periodAt(scope, answer.created_at);
    const order = { period, whose: refusal.whose ?? "instance", add, actor, cause: id };
    await board.raisePeriod(order);
    return log.info("Raised a budget", { ...ids, period, whose: order.whose, ...add });
  }
  const { outcome, ...rest } = await board.raiseBudget({
    goal: question.goal_id,
    ...whose,
    add,
    actor,
    cause: id,
  });
  if (outcome === "refused")
    return log.warn("The blackboard refused to raise a budget", { ...ids, ...rest });
  if (outcome === "raised") log.info("Raised a budget", { ...ids, ...whose, ...add });
}

const pageSize = 500;
/** The largest expected difference between the clocks of two machines. */
const clockDriftMs = 60_000;

/** Only the log knows the person. It is read from shortly before the answer was made. */
async function actorOf(
  board: Pick<LeaderBlackboard, "readEvents">,
  { id, created_at }: Artefact,
): Promise<Actor> {
  let from = `${Math.max(0, Date.parse(created_at) - clockDriftMs)}-0`;
  for (;;) {
    const page = await board.readEvents(from, pageSize);
    const found = page.find(
      (event) => event.type === "artefact_created" && event.artefact_id === id,
    );
    if (found !== undefined) return found.actor;
    if (page.length < pageSize) return "hand";
    from = page.at(-1)?.id ?? from;
  }
}
