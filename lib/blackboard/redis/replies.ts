// Reading what a script answered.
import { SettError } from "../../model/errors.ts";
import type { Refused } from "../refused.ts";

/** A union with one member for each word, so that callers can tell them apart. */
type Settled<Outcome extends string> = Outcome extends string ? { outcome: Outcome } : never;

/**
 * The outcome, which must be one of those expected; `refused` is always possible and comes with its reason. Anything else means
 * that the scripts and this code do not belong together.
 */
export function outcomeOf<Outcome extends string>(reply: readonly string[], ...expected: Outcome[]): Settled<Outcome> | Refused {
  const [word = "", detail = ""] = reply;
  const outcome = expected.find((one) => one === word);
  // The compiler cannot follow a union's members through a generic function.
  if (outcome !== undefined) return { outcome } as Settled<Outcome>;
  if (word === "refused") return { outcome: "refused", reason: detail };
  throw new SettError("internal", `A script answered "${word}", which was not expected.`);
}

/** For scripts that refuse nothing in the ordinary course of things: a refusal is an error. */
export function certainOutcomeOf<Outcome extends string>(reply: readonly string[], ...expected: Outcome[]): Settled<Outcome> {
  const result = outcomeOf(reply, ...expected);
  if (!("reason" in result)) return result as Settled<Outcome>;
  throw new SettError("blackboard-refused", `The blackboard refused a write: ${result.reason}`);
}
