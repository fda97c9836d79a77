// Judges what agents do not find of the commit at HEAD, because the repository does not have it.
import type { Lacking } from "../../../lib/git/exchange/port.ts";
import type { Finding } from "../facts/finding.ts";

/** `lacking`: undefined where the repository cannot be read. */
export function judgeLacking(lacking: readonly Lacking[] | undefined): Finding[] {
  return (lacking ?? []).map(({ check, found, remedy }) => ({
    ...{ subject: "instance", check, level: "warning", found },
    why: "Agents fetch nothing: they have what this repository has.",
    remedy,
  }));
}
