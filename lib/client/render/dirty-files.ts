// Files that are not committed, for people: the first ones, one a line.
import type { DirtyFile } from "../../git/repository/dirty-files.ts";
import { shellWord } from "../../model/shell-word.ts";
import { oneLine } from "../text/plain-text.ts";

const listedFiles = 20;

export function listDirty(dirty: readonly DirtyFile[]): string {
  const lines = dirty.slice(0, listedFiles).map(({ state, path }) => `  ${state} ${oneLine(path)}`);
  if (dirty.length > listedFiles) lines.push(`  … and ${dirty.length - listedFiles} more`);
  return lines.join("\n");
}

/**
 * Says what to do about them. Files that a commit or a stash would not make clean have a sentence
 * of their own.
 */
export function dirtyHint(dirty: readonly DirtyFile[]): string {
  const of = (kind: DirtyFile["kind"]) =>
    dirty.filter((file) => file.kind === kind).map(({ path }) => path);
  const [submodule] = of("submodule");
  const [repository] = of("repository");
  const sentences = [
    of("merge").length > 0 && "Finish the merge, or take it back: `git status` says how.",
    ...lineEnds(of("line-ends").length, of("committed-line-ends").length, dirty.length),
    submodule !== undefined &&
      `Commit or stash inside of the submodule (\`git -C ${word(submodule)} status\`), then commit its new commit here (\`git commit ${word(submodule)}\`), or go back to the one on record (\`git submodule update ${word(submodule)}\`).`,
    repository !== undefined &&
      `${oneLine(repository)} is a repository of its own: move it away, or have git ignore it (\`echo ${word(`/${repository}`)} >> .gitignore\`, and commit that).`,
    of(undefined).length > 0 &&
      "Commit them (`git add -A && git commit`), or stash them (`git stash -u`).",
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}

/**
 * `inFolder` of `all` files have other line ends than their commit; of `committed` an attribute
 * wants other ones.
 */
function lineEnds(inFolder: number, committed: number, all: number): string[] {
  const which = (count: number) =>
    count === all ? "Only their line ends differ" : `In ${count} of them only the line ends differ`;
  return [
    ...(committed === 0
      ? []
      : [
          `${which(committed)}, and the commit itself has those that its attributes do not want: \`git add --renormalize . && git commit\`.`,
        ]),
    ...(inFolder === 0
      ? []
      : [
          `${which(inFolder)} from the commit's, and a stash brings them back: \`git config core.autocrlf input && git add --renormalize .\``,
        ]),
  ];
}

/** Quotes it for a shell. */
function word(path: string): string {
  return shellWord(oneLine(path));
}
