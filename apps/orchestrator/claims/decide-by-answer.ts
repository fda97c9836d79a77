// A person's answer about calls of tools decides them, before the agent goes on.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import { callPayload, wordOfAnswer } from "../../../lib/model/asked-call.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import type { Deps } from "../leader/deps.ts";

const maxLength = 2_000;

/**
 * All that the question names. An answer of an agent decides none; one of a person that is no bare
 * `yes` is a no. A repeat changes nothing: each call has an id of its own.
 */
export async function decideByAnswer(
  {
    board,
    log,
  }: Pick<Deps, "log"> & {
    board: Pick<LeaderBlackboard, "readArtefact" | "readAskedCalls" | "decideCall">;
  },
  question: ArtefactHead,
  id: ArtefactId,
): Promise<void> {
  const [answer, asked, calls] = await Promise.all([
    board.readArtefact(id),
    board.readArtefact(question.id),
    board.readAskedCalls(question.goal_id),
  ]);
  if (answer === undefined || asked === undefined || answer.produced_by_agent !== "") return;
  const ids = callPayload(asked.payload)?.calls ?? [];
  const { claim_id, produced_by_agent } = question;
  const own = calls.filter(
    (one) => ids.includes(one.id) && one.claim_id === claim_id && one.agent === produced_by_agent,
  );
  const isAllowed = wordOfAnswer(answer.payload) === "yes";
  const words = answer.payload.slice(0, maxLength).toWellFormed();
  for (const call of own) {
    const order = { goal: question.goal_id, call, isAllowed, answer: id, words };
    const { outcome } = await board.decideCall(order);
    const { server, tool, agent } = call;
    if (outcome === "decided")
      log.info("A person has decided about a call of a tool", {
        ...{
          goal_id: question.goal_id,
          artefact_id: id,
          agent,
          server,
          tool,
          is_allowed: isAllowed,
        },
      });
  }
}
