// The result of one check of `sett doctor`.

/**
 * `problem`: Sett does not work, or loses data, until it is put right. `warning`: it may come to
 * that. `note`: good to know.
 */
export type Finding = {
  /** The subject of the check: `machine`, `engine`, `redis`, or the name of a container. */
  subject: string;
  check: string;
  found: string;
} & ({ level: "ok" } | { level: "note" | "warning" | "problem"; why: string; remedy: string });

export type Level = Finding["level"];

/** The findings of one level. */
export function countOf(findings: readonly Finding[], level: Level): number {
  return findings.filter((finding) => finding.level === level).length;
}
