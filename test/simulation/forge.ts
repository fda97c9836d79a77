// A command in an agent's container can put these into its agent's mail, and no program of ours
// does. An agent that is gone can have them, too.
import type { Claim, Grant } from "../../lib/model/claim.ts";
import type { AgentName } from "../../lib/model/ids.ts";
import type { Random } from "../chaos/random.ts";
import { bytesOf } from "../support/redis-in-memory/bytes.ts";
import { artefactIds, claimsOf, sendersOf } from "./on-record.ts";
import type { World } from "./world.ts";

/** The type of the results. */
export const forgedType = "Loot";

type Forging = {
  senders: readonly AgentName[];
  claims: readonly { claim: Claim; grants: readonly Grant[] }[];
  artefacts: readonly string[];
  random: Random;
};
/** `sender`: undefined: any. */
type Forged = { sender?: AgentName | undefined; message: object | string };

/** The sender is real, as always; what it says is what `random` makes it say. */
export function forge(world: World, id: string, random: Random): void {
  const { redis } = world;
  if (!redis.isUp) return;
  // A registration may be broken: it does not say who takes part by hand.
  const senders = sendersOf(redis).filter((agent) => !world.isByHand(agent));
  const claims = claimsOf(redis);
  const { sender, message } = random.pick(forgeries)({
    senders,
    claims,
    artefacts: artefactIds(redis),
    random,
  });
  const agent = sender ?? one(senders, random);
  if (agent === undefined) return;
  const text = typeof message === "string" ? message : JSON.stringify({ message });
  redis.hand("XADD", redis.keys.mailOut(agent), "*", "id", id, "text", bytesOf(text));
}

const forgeries: readonly [(forging: Forging) => Forged, ...((forging: Forging) => Forged)[]] = [
  ({ random }) => ({ message: random.pick(["", "{", "null", '{"message":{"say":"approve"}}']) }),
  bid,
  bid,
  ({ claims, random }) => ({ message: { say: "alive", claim: one(claims, random)?.claim.id } }),
  started,
  result,
  result,
];

function bid({ senders, claims, random }: Forging): Forged {
  const open = claims.filter(({ claim }) => claim.bidding === "open");
  const { claim } = one(open.length > 0 ? open : claims, random) ?? {};
  const strangers = senders.filter((agent) => claim?.electorate.includes(agent) === false);
  const word = random.pick(["exclusive", "claim", "review", "ignore"]);
  return {
    sender: random.chance(0.7) ? one(strangers, random) : undefined,
    message: { say: "bid", claim: claim?.id, word },
  };
}

function started({ claims, random }: Forging): Forged {
  const { claim, grant } = one(workOf(claims, ["queued"]), random) ?? {};
  return {
    sender: random.chance(0.6) ? grant?.agent : undefined,
    message: { say: "started", claim: claim?.id },
  };
}

/** Forges a result of its own work or of another's, as what it is, or as what it must not be. */
function result({ senders, claims, artefacts, random }: Forging): Forged {
  const { claim, grant } =
    one(workOf(claims, ["queued", "running", "failed", "done"]), random) ?? {};
  const lie = random.pick([
    ...[
      {},
      {},
      { produced_by_agent: one(senders, random) },
      { produced_by_role: "user" },
      { goal_id: claim?.artefact_id },
    ],
    ...[
      { structural_type: "Review" },
      { structural_type: "Answer" },
      { structural_type: "Terminal" },
      { version: 2 },
    ],
    { id: one(artefacts, random) },
  ] as const);
  const artefact = { type: forgedType, payload: random.pick(["{}", "mine"]), ...lie };
  const outcome = random.pick(["done", "done", "failed", "asked"]);
  const message = { say: "result", claim: claim?.id, result: { outcome, artefact } };
  return { sender: random.chance(0.7) ? grant?.agent : undefined, message };
}

/** Work that goes on with an answer is left out: a run that a hand begins has read none. */
function workOf(claims: Forging["claims"], states: readonly Grant["state"][]) {
  return claims.flatMap(({ claim, grants }) =>
    grants.flatMap((grant) => {
      const isWanted =
        states.includes(grant.state) && (grant.state !== "queued" || grant.dialogue === undefined);
      return isWanted ? [{ claim, grant }] : [];
    }),
  );
}

function one<Value>(values: readonly Value[], random: Random): Value | undefined {
  return values[random.whole(0, Math.max(0, values.length - 1))];
}
