// Whether a schedule has ended as it must: by the rules of the chaos runs, by what people were
// promised, and, where nothing went wrong in it, by rules that only hold then.
import type { Policy } from "../../lib/model/policy.ts";
import type { History } from "../chaos/history.ts";
import { checkHistory, type Kind, type Violation } from "../chaos/history-checker.ts";
import { calmRules } from "./calm-rules.ts";
import { forgedType } from "./forge.ts";
import { promiseRules } from "./promise-rules.ts";

/** The remains of a schedule, for the judge. */
export type Judged = {
  readonly history: History;
  policy: Policy;
  /** The faults that happened. */
  faults: readonly { kind: string }[];
  /** Undefined: it has come to rest. Otherwise what is left open, as a sentence. */
  limbo: string | undefined;
  /** Goals that people posted, of which Redis may have lost some. */
  goals: readonly string[];
  cancelled: ReadonlySet<string>;
  /** Agents of which a cub was ended, frozen or cut off. */
  harmed: ReadonlySet<string>;
  /** Which answer counts, as people were answered. */
  accepted: readonly { question: string; answer: string }[];
  /** How often Redis has lost its last writes. */
  losses: number;
  /** Outcomes that only a mistake in a program can cause, and why programs ended by themselves. */
  mistakes: readonly string[];
};

/** As `Rule`, of a whole schedule. */
export type ScheduleRule = (history: History, schedule: Judged) => Iterable<string>;
export type ScheduleRules = readonly (readonly [Kind, ScheduleRule])[];

/**
 * Empty when every rule holds. Most rules are about rest: of a schedule that has not come to it
 * only that is said.
 */
export function judge(schedule: Judged): Violation[] {
  const { limbo, policy, faults } = schedule;
  if (limbo !== undefined)
    return [{ kind: "in limbo", rule: "everyScheduleComesToRest", sentence: limbo }];
  const { history } = schedule;
  const rules = faults.length === 0 ? [...promiseRules, ...calmRules] : promiseRules;
  const more = rules.flatMap(([kind, rule]) =>
    [...rule(history, schedule)].map((sentence) => ({ kind, rule: rule.name, sentence })),
  );
  return [
    ...checkHistory(history, policy).filter((violation) => !isExcused(violation, schedule)),
    ...more,
  ];
}

/**
 * A Redis that has lost its last writes refuses the results of claims that it does not know any
 * more. What a hand sends as its agent's result names as sources what it likes.
 */
function isExcused({ rule, sentence }: Violation, { losses }: Judged): boolean {
  if (rule === "resultsNameTheirSources" && sentence.includes(`(${forgedType})`)) return true;
  return (
    rule === "everyEventIsAboutWhatExists" && losses > 0 && sentence.includes("(result_refused)")
  );
}
