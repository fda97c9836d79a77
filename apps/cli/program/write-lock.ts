// Writes sett.lock beside a sett.yml, where it is not what the packages of the file are.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { lockOf } from "../../../lib/config/lock-findings.ts";
import { type ConfigProblem, formatProblem } from "../../../lib/config/problems.ts";
import type { ReadPackages } from "../../../lib/config/read-packages.ts";
import { lockFile, lockText } from "../../../lib/config/sett-lock.ts";
import { clauseOf } from "../../../lib/model/errors.ts";
import type { Shell } from "../terminal/shell.ts";

type Read = { packages: ReadPackages; unlocked: readonly ConfigProblem[] };

/**
 * Says each difference, and that the file is to be committed. `isWritable` is false where the files
 * are those of a commit.
 */
export async function writeLock(
  { packages, unlocked }: Read,
  file: string,
  isWritable: boolean,
  { messages }: Pick<Shell, "messages">,
): Promise<void> {
  for (const problem of unlocked) messages.warn(formatProblem(problem));
  const path = join(dirname(file), lockFile);
  const text = lockText(lockOf(packages));
  const before = await readFile(path, "utf8").catch(() => undefined);
  if (packages.known.size === 0 || text === before) return;
  if (!isWritable) {
    if (unlocked.length > 0) messages.next(`In a clone: sett up, and commit ${lockFile}`);
    return;
  }
  try {
    await writeFile(path, text);
    messages.note(`${path} is written: look at it, and commit it with your sett.yml.`);
  } catch (error) {
    messages.warn(`${path} cannot be written: ${clauseOf(error)}.`);
  }
}
