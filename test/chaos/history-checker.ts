// Whether what an instance has on record can have come about by the rules. It looks at the log and
// the hashes alone, and at nothing that the programs say of themselves. Only for an instance that
// has come to rest: on the way much is open that must not stay so.
import { defaultPolicy, type Policy } from "../../lib/model/policy.ts";
import type { History } from "./history.ts";
import { actorRules } from "./rules/actor-rules.ts";
import { artefactRules } from "./rules/artefact-rules.ts";
import { attemptRules } from "./rules/attempt-rules.ts";
import { bidRules } from "./rules/bid-rules.ts";
import { claimRules } from "./rules/claim-rules.ts";
import { goalRules } from "./rules/goal-rules.ts";
import { grantRules } from "./rules/grant-rules.ts";
import { leftoverRules } from "./rules/leftover-rules.ts";
import { logRules } from "./rules/log-rules.ts";
import { orderRules } from "./rules/order-rules.ts";
import { peopleRules } from "./rules/people-rules.ts";
import { questionRules } from "./rules/question-rules.ts";
import { replayRules } from "./rules/replay-rules.ts";
import { resultRules } from "./rules/result-rules.ts";
import { standInRules } from "./rules/stand-in-rules.ts";

/** The meaning of a broken rule to its users. */
export type Kind = "lost" | "duplicated" | "in limbo" | "wrong";

export type RulePolicy = Pick<Policy, "review_rounds">;

/**
 * Yields one sentence for each time that it finds itself broken. Its name says what holds
 * otherwise.
 */
export type Rule = (history: History, policy: RulePolicy) => Iterable<string>;

export type Rules = readonly (readonly [Kind, Rule])[];

/** `rule` is the name of the one broken. */
export type Violation = { kind: Kind; rule: string; sentence: string };

const rules: Rules = [
  ...claimRules,
  ...bidRules,
  ...grantRules,
  ...questionRules,
  ...standInRules,
  ...artefactRules,
  ...resultRules,
  ...attemptRules,
  ...logRules,
  ...orderRules,
  ...actorRules,
  ...peopleRules,
  ...goalRules,
  ...leftoverRules,
  ...replayRules,
];

export const ruleNames: readonly string[] = rules.map(([, rule]) => rule.name);

/** Empty when every rule holds. */
export function checkHistory(found: History, policy: RulePolicy = defaultPolicy): Violation[] {
  // Rules share what they derive from a history: by this object, which only this check has.
  const history = { ...found };
  return rules.flatMap(([kind, rule]) =>
    [...rule(history, policy)].map((sentence) => ({ kind, rule: rule.name, sentence })),
  );
}
