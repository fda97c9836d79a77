// Finds who has changed the files of a conflict last, on each side.
import { showName } from "../../../lib/git/run/file-name.ts";
import { type Git, runGit } from "../../../lib/git/run/run-git.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import { visible } from "./merge-message.ts";

/** More files make no feedback clearer: the others are counted. */
const maxFiles = 20;
const maxLength = 120;

/** `lane` and `result`: the last commit of that side which changes the file. */
export type Sides = { file: string; lane: string; result: string };

/** `files`: in latin1, as git has their bytes. */
export async function sidesOf(
  git: Git,
  cwd: string,
  { tip, result, files }: { tip: CommitHash; result: CommitHash; files: readonly string[] },
): Promise<(Sides | string)[]> {
  const names = [...new Set(files)];
  const sides: (Sides | string)[] = [];
  const lastOf = async (file: string, range: string) => {
    const format = "--format=%h %an: %s";
    const args = ["log", "-1", format, range, "--", `:(literal,top)${file}`];
    const words = visible(await runGit(git, { args, cwd }));
    return words === "" ? "has not changed it" : words.slice(0, maxLength);
  };
  for (const file of names.slice(0, maxFiles)) {
    const name = Buffer.from(file, "latin1").toString();
    sides.push({
      file: showName(file),
      lane: await lastOf(name, `${result}..${tip}`),
      result: await lastOf(name, `${tip}..${result}`),
    });
  }
  if (names.length > maxFiles) sides.push(`and ${names.length - maxFiles} more`);
  return sides;
}
