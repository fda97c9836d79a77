import type { Artefact } from "../../../lib/model/artefact.ts";
import type { PullParts } from "./pull-parts.ts";
import { forgeActor } from "./settings.ts";

/** `what`: the branch, the number of the pull request, or the word of the status. */
export type ForgeStep = {
  step: "push" | "open" | "update" | "status" | "merge";
  state: "begins" | "done";
  what: string;
};

/** Puts each state of each effect on record once, however often it is asked. */
export async function noteStep(
  { board, agent }: Pick<PullParts, "board" | "agent">,
  { goal_id, id: artefact_id }: Artefact,
  { step, state, what }: ForgeStep,
): Promise<void> {
  await board.recordTrigger({
    record: { goal: goal_id },
    // A status has a mark for each word, since a later look finds an earlier one.
    mark: `forge:${agent.name}:${step}${step === "status" ? `:${what}` : ""}`,
    value: `${state} ${artefact_id} ${what}`,
    event: {
      type: "forge_step",
      ...{ goal_id, artefact_id, agent: agent.name },
      data: { forge: agent.forge, step, state, what },
    },
    actor: forgeActor(agent),
  });
}
