// Says what a person can do about a repository that lacks objects of its own, or has damaged ones:
// a clone that broke off, a disk that failed, a `gc` of objects that another one borrowed.
import { messageOf, SettError } from "../../model/errors.ts";

const signs =
  /unable to read|could not read|cannot be read|is corrupt|bad object|bad tree object|missing (?:blob|tree|commit)|could not parse|inflate/i;

const remedy =
  "This repository lacks objects of its own, or has damaged ones: `git fsck --connectivity-only` names them, and a new clone has them. Where only old commits do, `workspace: { history: 1 }` of each agent leaves them out.";

/** Does the job; what git says of objects that it cannot read gets a remedy. */
export async function sayingDamage<Result>(job: () => Promise<Result>): Promise<Result> {
  try {
    return await job();
  } catch (error) {
    const isDamage =
      error instanceof SettError && error.code === "git-failed" && signs.test(messageOf(error));
    if (!isDamage || error.hint !== undefined) throw error;
    throw new SettError("git-failed", error.message, { hint: remedy, cause: error });
  }
}
