// Judges what agents have left in the exchange, where each has a folder for the commits that it publishes.
import type { LeftInFolder } from "../../../lib/git/left-in-exchange.ts";
import type { Finding } from "../facts/finding.ts";

const shownNames = 3;

/** `left`: undefined where the repository cannot be read. */
export function judgeExchange(left: readonly LeftInFolder[] | undefined): Finding[] {
  const check = "exchange";
  if (left?.length === 0) return [{ subject: "instance", check, level: "ok", found: "holds nothing but published commits" }];
  return (left ?? []).map((folder) => ({
    subject: `agent ${folder.agent}`,
    check,
    level: "warning",
    found: folder.problem ?? `its folder has what was not published: ${listOf(folder.names)}`,
    why: "Other agents can read it, and its next grant run it. While a grant of it runs, this may be the grant's own.",
    remedy: `Its cub removes it before the next grant. What stays, or is of an agent that is gone, you remove as root: ${folder.path}`,
  }));
}

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, shownNames).join(", ");
  return names.length > shownNames ? `${shown} and ${names.length - shownNames} more` : shown;
}
