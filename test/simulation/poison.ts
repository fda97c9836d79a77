// No program of ours writes these: a slip of a person's hand at redis-cli, or another version's
// entry.

import { artefactFieldNames } from "../../lib/blackboard/records/artefact-field-names.ts";
import { fieldsOfArtefact } from "../../lib/blackboard/records/artefact-fields.ts";
import { storedKindOf } from "../../lib/blackboard/records/due-member.ts";
import type { ClaimId } from "../../lib/model/ids.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import { garbageFor } from "../chaos/garbage.ts";
import type { Random } from "../chaos/random.ts";
import type { Poison } from "./faults.ts";
import { agentsOf, artefactIds, hashAt, openClaims } from "./on-record.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";
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
  const { redis, people } = world;
  const { keys } = redis;
  const pick = <Value>(values: readonly Value[]): Value | undefined =>
    values[choice % Math.max(1, values.length)];
  switch (what) {
    case "event":
      redis.hand("XADD", keys.events, "*", ...garbageFor("events", random));
      break;
    case "announcement":
      redis.hand("XADD", keys.announcements, "*", ...garbageFor("claims", random));
      break;
    case "deadline": {
      const member = pick(deadlines) ?? "";
      redis.hand(
        "ZADD",
        keys.dueOfKind(storedKindOf(member)),
        String(redis.server.database.now()),
        member,
      );
      break;
    }
    case "artefact": {
      const goal = people.newGoal("By hand.");
      // A whole one is a goal like any other.
      const missing = choice < 40 ? undefined : pick(artefactFieldNames);
      const fields = Object.entries(fieldsOfArtefact(goal)).filter(([name]) => name !== missing);
      redis.hand("HSET", keys.artefact(goal.id), ...fields.flat());
      redis.hand("PUBLISH", keys.artefactChannel, goal.id);
      break;
    }
    case "registration": {
      const agent = pick(agentsOf(redis));
      const text = choice % 2 === 0 ? "{ this is no JSON" : '{"name":"another"}';
      if (agent !== undefined) redis.hand("HSET", keys.agents, agent, text);
      break;
    }
    case "claim": {
      const claim = pick(openClaims(redis));
      if (claim !== undefined) breakClaim(world, claim);
      break;
    }
    case "hint":
      redis.hand(
        "PUBLISH",
        keys.artefactChannel,
        pick([...artefactIds(redis), "no id at all"]) ?? "",
      );
      break;
    default:
      unreachable(what);
  }
}

/** So that it cannot be read. */
function breakClaim({ redis, broken }: World, claim: ClaimId): void {
  const electorate = hashAt(redis, redis.keys.claim(claim)).get("electorate");
  if (electorate === undefined || broken.has(claim)) return;
  broken.add(claim);
  redis.hand("HSET", redis.keys.claim(claim), "electorate", `{${electorate}`);
}

/** Redis may have lost the damage, or the claim. */
export function mendClaim(redis: SimulatedRedis, claim: ClaimId): void {
  const electorate = hashAt(redis, redis.keys.claim(claim)).get("electorate");
  if (electorate?.startsWith("{"))
    redis.hand("HSET", redis.keys.claim(claim), "electorate", electorate.slice(1));
}
