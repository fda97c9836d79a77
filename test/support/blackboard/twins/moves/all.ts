// All moves, and the choice of the next one.
import type { Call } from "../call.ts";
import type { World } from "../world.ts";
import { agentMoves } from "./agents.ts";
import { artefactMoves } from "./artefacts.ts";
import { claimMoves } from "./claims.ts";
import { commitMoves } from "./commits.ts";
import { grantMoves } from "./grants.ts";
import { handMoves } from "./hand.ts";
import { leaderMoves, noticeMoves, pruneMoves, triggerMoves } from "./leader.ts";
import { mailMoves } from "./mail.ts";
import { modelMoves } from "./models.ts";
import type { Move } from "./move.ts";
import { peopleMoves } from "./people.ts";

const moves: readonly Move[] = [
  artefactMoves,
  claimMoves,
  commitMoves,
  grantMoves,
  peopleMoves,
  agentMoves,
  mailMoves,
  modelMoves,
  leaderMoves,
  noticeMoves,
  triggerMoves,
  pruneMoves,
  handMoves,
].flat();

const total = moves.reduce((sum, { weight }) => sum + weight, 0);

/** A call that is made again must be answered alike. */
const repeatProbability = 0.06;

export function nextCall(world: World, before: readonly Call[]): Call {
  for (;;) {
    const again = world.random.chance(repeatProbability)
      ? world.random.pick(before.slice(-6))
      : chosen(world).make(world);
    if (again !== undefined) return again;
  }
}

function chosen({ random }: World): Move {
  let left = random.next() * total;
  const found = moves.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return found ?? { weight: 0, make: () => undefined };
}
