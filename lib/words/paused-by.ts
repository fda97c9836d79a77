// Who has paused an instance or a goal, for people.
import { actorName } from "./actor-name.ts";

/** Of its own accord the orchestrator pauses for one reason alone. */
export function pausedBy(actor: string): string {
  const name = actorName(actor);
  return actor.startsWith("orchestrator:") ? `the ${name}, as nothing is sealed` : name;
}
