// Writes what no program of ours does: a slip of a person's hand at redis-cli, or another version's
// entry.
import {
  artefactFieldNames,
  fieldsOfArtefact,
} from "../../lib/blackboard/records/artefact-fields.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import { garbageFor } from "../chaos/garbage.ts";
import type { Random } from "../chaos/random.ts";
import type { Poison } from "./faults.ts";
import { textOfEvent } from "./history-of-memory.ts";
import type { World } from "./world.ts";

const deadlines = [
  "nonsense",
  "lease:",
  "bids:no id at all",
  "attempt:00000000-0000-4000-8000-000000000000:worker:1",
  "shrug:1:2:3",
];

export function poison(
  world: World,
  { what, choice }: { what: Poison; choice: number },
  random: Random,
): void {
  const { redis, people, planted } = world;
  const { hand, state } = redis;
  const pick = <Value>(values: readonly Value[]): Value | undefined =>
    values[choice % Math.max(1, values.length)];
  switch (what) {
    case "event":
      hand.writeEvent(entryOf(garbageFor("events", random)));
      for (const event of state.events.slice(-1)) planted.add(textOfEvent(event));
      break;
    case "announcement":
      hand.writeAnnouncement(entryOf(garbageFor("claims", random)));
      break;
    case "deadline":
      hand.writeDue(pick(deadlines) ?? "", state.now());
      break;
    case "artefact": {
      const goal = people.newGoal("By hand.");
      const fields = fieldsOfArtefact(goal);
      // A whole one is a goal like any other.
      const missing = choice < 40 ? undefined : pick(artefactFieldNames);
      hand.writeArtefact(
        goal.id,
        Object.fromEntries(Object.entries(fields).filter(([name]) => name !== missing)),
      );
      hand.publish(goal.id);
      break;
    }
    case "registration": {
      const agent = pick([...state.agents.keys()]);
      if (agent !== undefined)
        hand.writeRegistration(
          agent,
          choice % 2 === 0 ? "{ this is no JSON" : '{"name":"another"}',
        );
      break;
    }
    case "claim": {
      const claim = pick([...state.openClaims]);
      if (claim !== undefined) hand.breakClaim(claim);
      break;
    }
    case "hint":
      hand.publish(pick([...state.artefacts.keys(), "no id at all"]) ?? "");
      break;
    default:
      unreachable(what);
  }
  redis.wake();
}

function entryOf(flat: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: flat.length / 2 }, (_, index) => [
      flat[2 * index] ?? "",
      flat[2 * index + 1] ?? "",
    ]),
  );
}
