// The parts of one leadership share what is known without asking Redis.

import type { Deps } from "../leader/deps.ts";
import { AgentCache } from "./agent-cache.ts";
import { BasisOnRecord } from "./basis-on-record.ts";
import { KnownClaims } from "./known-claims.ts";
import { PauseCache } from "./pause-cache.ts";
import { AgentPresence } from "./presence.ts";
import { TargetCache } from "./target-cache.ts";

export type LeaderParts = {
  agentCache: AgentCache;
  targets: TargetCache;
  known: KnownClaims;
  pause: PauseCache;
  presence: AgentPresence;
  basis: BasisOnRecord;
};

export function leaderParts(deps: Pick<Deps, "board" | "clock" | "log" | "policy">): LeaderParts {
  const { board, clock } = deps;
  return {
    agentCache: new AgentCache(deps),
    targets: new TargetCache(board),
    known: new KnownClaims(board),
    pause: new PauseCache(board),
    presence: new AgentPresence(clock),
    basis: new BasisOnRecord(board, deps.policy),
  };
}
