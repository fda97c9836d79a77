// The id of an instance: made at its first `sett up`, a label of its parts, and a setting in the
// repository's `.git/config`.

/** `random`: hexadecimal, of this instance alone. It ends with the second in which it was made. */
export function newInstanceId(random: string, now: Date): string {
  return `${random}.${Math.floor(now.getTime() / 1_000)}`;
}
