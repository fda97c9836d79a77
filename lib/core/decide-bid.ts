// An agent's bid on an artefact, as far as rules and defaults decide it
// (docs/internals/cub.md#deciding-a-bid).
import type { AgentRegistration, RegisteredAgent } from "../model/agent.ts";
import { type Artefact, goalType } from "../model/artefact.ts";
import type { BidRule, BidWord } from "../model/bid.ts";
import type { ChangedPaths } from "../model/changed-paths.ts";
import { ofSame } from "../model/of-same.ts";
import { isPathMatch, pathPatternOf, withoutSurplus } from "./match-path.ts";
import { matchesPattern } from "./match-pattern.ts";

/**
 * Rules need this of the artefact that is bid on. `paths`: the files that its whole change touches;
 * undefined where they are not known. A rule with `paths` matches then, unless it says `ignore`.
 */
export type BidTarget = Pick<Artefact, "type" | "produced_by_role"> & {
  paths?: ChangedPaths | undefined;
};

type Bidder = Pick<AgentRegistration, "role" | "bids" | "asks_model">;

/**
 * The word of the first rule that matches, `ignore` when none does. Undefined where only the agent
 * itself can decide: it has no rules, or none of them matches and it asks its model.
 */
export function bidByRules(target: BidTarget, bidder: Bidder): BidWord | undefined {
  if (bidder.bids.length === 0) return undefined;
  const rule = ruleFor(target, bidder);
  if (rule !== undefined) return rule.bid;
  const isOwn = target.produced_by_role === bidder.role;
  return bidder.asks_model === true && !isOwn ? undefined : "ignore";
}

/**
 * The first rule that matches. To the output of its own role only a rule applies that names the
 * role: with `*` the agent would work on its own results without end.
 */
export function ruleFor(
  target: BidTarget,
  { role, bids }: Pick<Bidder, "role" | "bids">,
): BidRule | undefined {
  const isOwn = target.produced_by_role === role;
  return bids.find((one) => matches(one, target) && (!isOwn || one.from === role));
}

/**
 * The runaway guard: the agent's own role made the artefact, and no rule that matches names that
 * role in `from`. The bid is then always `ignore`.
 */
export function isGuardedAgainst(target: BidTarget, bidder: Bidder): boolean {
  if (target.produced_by_role !== bidder.role) return false;
  return !bidder.bids.some((rule) => rule.from === bidder.role && matches(rule, target));
}

/** The bid of an agent with nothing configured: `exclusive` on every goal, and else `ignore`. */
export function bidByDefault(target: BidTarget): BidWord {
  return target.type === goalType ? "exclusive" : "ignore";
}

/** Whether a rule of these agents depends on the files that the artefact's change touches. */
export function needsPaths(target: BidTarget, agents: readonly RegisteredAgent[]): boolean {
  return rulesWithPaths(agents).some((rule) => isAbout(rule, target));
}

/** Most clans have none. */
export const rulesWithPaths = ofSame((agents: readonly RegisteredAgent[]) =>
  agents.flatMap(({ bids }) => bids.filter(({ paths }) => paths !== undefined)),
);

function matches(rule: BidRule, target: BidTarget): boolean {
  return isAbout(rule, target) && matchesFiles(rule, target.paths);
}

function isAbout(rule: BidRule, target: BidTarget): boolean {
  return (
    matchesPattern(rule.on, target.type) &&
    (rule.from === undefined || matchesPattern(rule.from, target.produced_by_role))
  );
}

/**
 * An agent chooses the files of its change, and one more of them must keep no reviewer from it:
 * `ignore` needs that all of them match, and any other word one. A person may spell a letter in
 * another way than git does: composed, or with its mark apart.
 */
function matchesFiles({ bid, paths: wanted }: BidRule, paths: ChangedPaths | undefined): boolean {
  if (wanted === undefined) return true;
  const mayNotAsk = bid === "ignore";
  if (paths === undefined) return !mayNotAsk;
  const patterns = wanted.map((path) => pathPatternOf(withoutSurplus(path.normalize())));
  const isMatch = (path: string) => {
    // What a submodule changes below is not known.
    const mayBeBelow = path.endsWith("/") && !mayNotAsk;
    const names = path.normalize().replace(/\/$/, "").split("/");
    return patterns.some((pattern) => isPathMatch(pattern, names, { mayBeBelow }));
  };
  return mayNotAsk ? paths.length > 0 && paths.every(isMatch) : paths.some(isMatch);
}
