// The id of an instance: made at its first `sett up`, a label of its parts, and a setting in the
// repository's `.git/config`.

/** `random`: hexadecimal, of this instance alone. It ends with the second in which it was made. */
export function newInstanceId(random: string, now: Date): string {
  return `${random}.${Math.floor(now.getTime() / 1_000)}`;
}

/**
 * Whether a part without an id can be the instance's: the version before gave none, so it was made
 * before the id was. `createdSeconds`: Unix time.
 */
export function isOlderThan(id: string, createdSeconds: number): boolean {
  const madeAt = Number(id.split(".")[1]);
  return Number.isFinite(madeAt) && createdSeconds <= madeAt;
}
