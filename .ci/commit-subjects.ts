// Checks the subjects of commits against the rule of CONTRIBUTING.md: `bun .ci/commit-subjects.ts
// [RANGE]`, by default `origin/main..HEAD`. Merges are left out: git writes their subjects.

import { dirname } from "node:path";
import { reportFailure } from "./report-failure.ts";

const root = dirname(import.meta.dir);
const maxColumns = 72;

/** Words that name no effect. */
const empty =
  /^(?:wip|tmp|test|misc|minor|cleanup|clean up|update|updates|fix|fixes|fix bug|fix tests?|improvements?|refactor(?:ing)?)$/i;

/** The mistakes of a subject, each as the end of a sentence that begins with the subject. */
export function mistakesOf(subject: string): string[] {
  const columns = [...subject].length;
  const [, room, effect = subject] = /^([\w./-]+): (.*)$/.exec(subject) ?? [];
  return [
    ...(columns > maxColumns ? [`has ${columns} columns; ${maxColumns} at most`] : []),
    ...(/[.!…]$/.test(subject) ? ["ends with a full stop"] : []),
    ...(/^(?:fixup|squash|amend)! /.test(subject)
      ? ["is to be squashed: `git rebase --interactive --autosquash`"]
      : []),
    ...(room === undefined ? ["does not begin with its room, such as `git: `"] : []),
    ...(/^\p{Lu}/u.test(effect) ? ["names the effect with a capital letter"] : []),
    ...(empty.test(effect.replace(/\.$/, "")) ? ["does not name the effect"] : []),
  ];
}

/**
 * Every subject in a range of git's that breaks the rule. Throws where git does not know the range.
 */
export async function checkSubjects(folder: string, range: string): Promise<string[]> {
  const log = await Bun.$`git log --no-merges --format=${"%h %s"} ${range} --`
    .cwd(folder)
    .nothrow()
    .quiet();
  if (log.exitCode !== 0)
    throw new Error(`git does not know the commits of ${range}: ${log.stderr.toString().trim()}`);
  return log
    .text()
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const [, id = "", subject = ""] = /^(\S+) (.*)$/.exec(line) ?? [];
      return mistakesOf(subject).map((mistake) => `${id} "${subject}" ${mistake}.`);
    });
}

if (import.meta.main) {
  try {
    const mistakes = await checkSubjects(root, process.argv[2] ?? "origin/main..HEAD");
    for (const mistake of mistakes) console.error(mistake);
    if (mistakes.length > 0)
      throw new Error("→ git rebase --interactive, and `reword` (CONTRIBUTING.md, “Commits”)");
  } catch (error) {
    reportFailure(error);
  }
}
