// Finds the goal that a write of a command line is about, for the record.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { ArtefactId, type GoalId } from "../../model/ids.ts";
import { type RemoteCallName, remoteCalls } from "./calls.ts";

/**
 * Goes by what the blackboard has, not by what is stated: undefined where the goal is not there, as
 * it is where the call was refused that would have posted it.
 */
export async function goalOfCall(
  name: RemoteCallName,
  args: unknown,
  board: Pick<PersonBlackboard, "readArtefact">,
): Promise<GoalId | undefined> {
  const id = ArtefactId.safeParse(artefactIn(name, args));
  return id.success ? (await board.readArtefact(id.data))?.goal_id : undefined;
}

/** An artefact of the goal; a goal's id is that of its first one. */
function artefactIn(name: RemoteCallName, args: unknown): string | undefined {
  switch (name) {
    case "createArtefact":
      return remoteCalls.createArtefact.args.safeParse(args).data?.[0].id;
    case "answerQuestion":
      return remoteCalls.answerQuestion.args.safeParse(args).data?.[0].source_artefacts[0];
    case "tell":
      return remoteCalls.tell.args.safeParse(args).data?.[0].words.goal_id;
    case "recordVerdict":
      return remoteCalls.recordVerdict.args.safeParse(args).data?.[0].review.source_artefacts[0];
    case "raiseBudget":
      return remoteCalls.raiseBudget.args.safeParse(args).data?.[0].goal;
    case "logEvent":
      return remoteCalls.logEvent.args.safeParse(args).data?.[0].goal_id;
    default:
      return undefined;
  }
}
