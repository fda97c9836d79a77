// Decides whether a provider has reported a usage.
import { memberAt } from "./json.ts";

/**
 * Without a number of tokens there is no report: the call is then charged what it may have cost.
 */
export function hasCount(usage: unknown, names: readonly string[]): boolean {
  return names.some((name) => {
    const count = memberAt(usage, name);
    return typeof count === "number" && count >= 0;
  });
}
