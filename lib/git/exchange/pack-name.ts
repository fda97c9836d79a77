// The names of files in an agent's folder of the exchange. They only say where to look: the record
// says which commits there are.
import type { Stats } from "node:fs";
import { CommitHash } from "../../model/ids.ts";

const hash = "[0-9a-f]{40}|[0-9a-f]{64}";
const packs = new RegExp(`^(${hash})\\.pack$`);
const unfinished = new RegExp(`^\\.(?:${hash})$`);
/**
 * The longest time for which a pack may be written and checked, each by a git that has its bounds
 * (`CleanView`): what is older was left by one that was ended.
 */
const unfinishedMs = 2 * 3_600_000;

export function packName(commit: CommitHash): string {
  return `${commit}.pack`;
}

/** The commit that `packName` has named; undefined for other names. */
export function commitIn(name: string | Uint8Array): CommitHash | undefined {
  const [, found] = typeof name === "string" ? (packs.exec(name) ?? []) : [];
  return found === undefined ? undefined : CommitHash.parse(found);
}

/** `now`: Unix time in milliseconds. */
export function isBeingWritten(
  name: string,
  { ctimeMs }: Pick<Stats, "ctimeMs">,
  now: number,
): boolean {
  return unfinished.test(name) && now - ctimeMs < unfinishedMs;
}
