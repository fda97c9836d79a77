// Who has paused an instance or a goal, for people.
import { isOrchestrator } from "../model/actor-kind.ts";
import { actorName } from "./actor-name.ts";

/** Of its own accord the orchestrator pauses for one reason alone. */
export function pausedBy(actor: string): string {
  const name = actorName(actor);
  return isOrchestrator(actor) ? `the ${name}, as nothing is sealed` : name;
}
